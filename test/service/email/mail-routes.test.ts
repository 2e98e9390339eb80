/** The e-mails in the folder: read as people read them, and listed while files are removed. */
import assert from 'node:assert/strict'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { startProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

const mail = [
  'From: Shop <shop@example.com>',
  'To: =?UTF-8?Q?Ana_=C5=A0imi=C4=87?= <ana@example.com>',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p onclick="alert(1)">Gr\u00fc\u00dfe</p><script>alert(1)</script>',
  '--b',
  'Content-Type: text/csv',
  'Content-Disposition: attachment; filename=lines.csv',
  'Content-Transfer-Encoding: base64',
  '',
  'YTtiCg==',
  '--b--',
].join('\r\n')

let service: TestService
let folder: string
before(async () => {
  service = await startProject({ EMAIL_PROVIDER: 'file' })
  folder = join(service.config.PROJECT, '.docket', 'mail')
})
after(() => service.stop())
beforeEach(async () => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
})

test('a caught e-mail is read as people read it, and its HTML as a page without scripts', async () => {
  await writeFile(join(folder, 'one.eml'), mail)
  await writeFile(join(folder, 'plain.eml'), 'Subject: plain\r\n\r\nText')
  await writeFile(join(folder, 'long.eml'), Buffer.alloc(9 * 1_048_576, 'a'))
  const message = (await service.ask('GET', '/api/mail/one.eml/message')).json()
  assert.partialDeepStrictEqual(message, {
    ...{ address: 'ana@example.com', subject: 'Gr\u00fc\u00dfe' },
    attachments: [{ filename: 'lines.csv', mimetype: 'text/csv', size: 4 }],
  })
  const html = await service.ask('GET', '/api/mail/one.eml/message.html')
  assert.match(html.text, /Gr\u00fc\u00dfe/)
  assert.match(html.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
  for (const [path, status] of [
    ['plain.eml/message.html', 409],
    ['long.eml/message', 409],
    ['none.eml/message', 404],
    ['..%2Fdevelopment-issuer.json/message', 404],
  ] as const)
    assert.equal((await service.ask('GET', `/api/mail/${path}`)).status, status, path)
})

test('a removed e-mail is not listed, and its path returns 404', async () => {
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
})
