/** The list of e-mails in the folder, while files are removed from it. */
import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startProject } from '../support/a-project.ts'

test('a removed e-mail is not listed, and its path returns 404', async () => {
  const service = await startProject({ EMAIL_PROVIDER: 'file' })
  const folder = join(service.config.PROJECT, '.docket', 'mail')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'there.eml'), 'Subject: there\n')
  await symlink(join(folder, 'nowhere'), join(folder, 'gone.eml'))
  const list = await service.ask('GET', '/api/mail')
  assert.equal(list.status, 200, list.text)
  assert.deepEqual(
    list.json().data.map(({ name }: { name: string }) => name),
    ['there.eml'],
  )
  const gone = await service.ask('GET', '/api/mail/gone.eml')
  assert.deepEqual([gone.status, gone.json().code], [404, 'request.no-such-path'])
  assert.equal((await service.ask('GET', '/api/mail/there.eml')).text, 'Subject: there\n')
  await service.stop()
})
