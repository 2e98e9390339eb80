/** The provider "file" writes each e-mail to a complete file, which only its owner can read. */
import assert from 'node:assert/strict'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Email } from '../../../../src/outbox/email/email.ts'
import { fileProvider } from '../../../../src/outbox/email/providers/file-provider.ts'
import { anEmail, deliveryErrorOf, neverAborted, sender } from '../../../support/email/an-email.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

/** A provider with a folder of its own that does not exist yet. */
const newProvider = () => {
  const directory = join(temporaryFolder(), 'mail')
  const provider = fileProvider(directory, sender)
  return { directory, provider, send: (email: Email) => provider.send(email, neverAborted) }
}

test('an e-mail is one file, named by time and recipient, which only the owner can read', async () => {
  const { directory, send } = newProvider()
  await send(anEmail())
  const [name = '', ...others] = await readdir(directory)
  assert.deepEqual(others, [])
  assert.match(name, /^\d{4}-\d\d-\d\dT[\d.-]+Z_anna@example\.com_.*\.eml$/)
  assert.equal((await stat(directory)).mode & 0o777, 0o700)
  assert.equal((await stat(join(directory, name))).mode & 0o777, 0o600)
})

test('an address cannot lead out of the folder or make the file name too long', async () => {
  for (const address of [
    '../../../etc/passwd@example.com',
    'a\0b@example.com',
    `${'x'.repeat(288)}@example.com`,
  ]) {
    const { directory, send } = newProvider()
    await send(anEmail({ to: { name: '', address } }))
    const [name = ''] = await readdir(directory)
    assert.match(name, /^[\w.@-]+\.eml$/)
    assert.ok(name.length < 240)
    assert.ok((await stat(join(directory, name))).size > 0)
  }
})

test('e-mails to one recipient at the same time are different files', async () => {
  const { directory, send } = newProvider()
  const event = 'e'.repeat(100)
  const ids = Array.from({ length: 20 }, (_, index) => `<${event}.0.${index}@docket.example.com>`)
  await Promise.all(ids.map((messageId) => send(anEmail({ messageId }))))
  assert.equal((await readdir(directory)).length, ids.length)
})

test('an e-mail is retried when its folder cannot be written', async () => {
  const file = join(temporaryFolder(), 'a-file')
  await writeFile(file, '')
  const { retryable, message } = await deliveryErrorOf(fileProvider(join(file, 'mail'), sender))
  assert.deepEqual([retryable, message], [true, 'The e-mail could not be written: ENOTDIR.'])
})

test('hasTaken finds a written e-mail by its message id', async () => {
  const { provider, send } = newProvider()
  await send(anEmail())
  const found = [anEmail().messageId, '<other@docket.example.com>'].map((id) =>
    provider.hasTaken?.(id, neverAborted),
  )
  assert.deepEqual(await Promise.all(found), [true, false])
})
