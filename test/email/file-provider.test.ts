/** The provider file: whole e-mails in a folder, read back by another program. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { simpleParser } from 'mailparser'
import { SendFault } from '../../src/email/provider.ts'
import { fileProvider } from '../../src/email/providers/file-provider.ts'
import { anEmail, sender } from './an-email.ts'

const folder = () => mkdtemp(join(tmpdir(), 'docket-mail-'))
const signal = AbortSignal.timeout(60_000)

test('an e-mail is one file, with everything in it', async () => {
  const directory = join(await folder(), 'mail')
  const data = Buffer.from([0, 255, 13, 10, 46, 13, 10])
  const attachments = [{ filename: 'a.bin', mimetype: 'application/octet-stream', data }]
  await fileProvider(directory, sender).send(anEmail({ attachments }), signal)
  const [name, ...others] = await readdir(directory)
  assert.deepEqual(others, [])
  assert.match(name ?? '', /^\d{4}-\d\d-\d\dT.* anna@example\.com .*\.eml$/)
  const mail = await simpleParser(await readFile(join(directory, name ?? '')))
  assert.deepEqual(
    [mail.subject, mail.messageId],
    ['Narudžba – 発注書', '<event.0.7@docket.example>'],
  )
  assert.deepEqual(mail.attachments[0]?.content, data)
})

test('path parts in an address or an id lead nowhere else', async () => {
  const directory = join(await folder(), 'mail')
  const to = { name: 'x', address: '../../../etc/passwd@example.com' }
  await fileProvider(directory, sender).send(anEmail({ to, messageId: '<../../x@y>' }), signal)
  assert.equal((await readdir(directory)).length, 1)
})

test('what cannot be written is tried again, and leaves no half file', async () => {
  const directory = join(await folder(), 'mail')
  // A file where the folder should be is refused as a full disk is: by the file system.
  await writeFile(directory, '')
  await assert.rejects(
    fileProvider(directory, sender).send(anEmail(), signal),
    (error: unknown) => {
      assert.ok(error instanceof SendFault)
      assert.equal(error.verdict, 'again')
      assert.match(error.message, /could not be written: E[A-Z]+/)
      return true
    },
  )
})
