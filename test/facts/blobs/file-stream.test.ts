/** Files that are sent, and what others read of them. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { open, writeFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { ByteRange } from '../../../src/blobs/blob-store.ts'
import { FileStream } from '../../../src/blobs/file-stream.ts'
import { afterwards } from '../../support/afterwards.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const bytes = randomBytes(5_000_017)
const path = join(await temporaryFolder(), 'file')
await writeFile(path, bytes)
const openStream = async (range?: ByteRange) => new FileStream(await open(path), range)

const ranges = [
  undefined,
  { first: 0, last: 0 },
  { first: 524_288, last: 1_048_575 },
  { first: 524_287, last: 4_000_000 },
  { first: 4_999_999, last: 5_000_016 },
] as const
const partOf = (range: ByteRange | undefined) =>
  range ? bytes.subarray(range.first, range.last + 1) : bytes
const digest = (some: Uint8Array) => createHash('sha256').update(some).digest('hex')

/** Answers each request with a stream, and keeps the streams. */
const serve = async (range?: ByteRange) => {
  const streams: FileStream[] = []
  const server = createServer(async (_request, response) => {
    const stream = await openStream(range)
    streams.push(stream)
    response.on('close', () => stream.destroy())
    stream.pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterwards(async () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const ask = async () => {
    const [response] = await once(get({ port, host: '127.0.0.1' }), 'response')
    return response as IncomingMessage
  }
  return { ask, streams }
}

for (const range of ranges) {
  const name = range ? `bytes ${range.first} to ${range.last}` : 'a whole file'
  test(`${name}: a response and other readers get the same, and the file is closed`, async () => {
    const expected = digest(partOf(range))
    const { ask, streams } = await serve(range)
    const answers = await Promise.all([ask(), ask(), ask()])
    for (const answer of answers) assert.equal(digest(await buffer(answer)), expected)
    for (const stream of streams) if (!stream.closed) await once(stream, 'close')
    const read = await openStream(range)
    assert.equal(digest(await buffer(read)), expected)
    assert.equal(read.closed, true)
  })
}

test('a client that reads slowly gets every byte as it is in the file', async () => {
  const { ask } = await serve()
  const answer = await ask()
  const hash = createHash('sha256')
  for await (const part of answer) {
    hash.update(part)
    if (part.length > 60_000) await delay(1)
  }
  assert.equal(hash.digest('hex'), digest(bytes))
})

test('a file whose client goes away is closed', async () => {
  const { ask, streams } = await serve()
  const answer = await ask()
  await once(answer, 'readable')
  answer.destroy()
  const [stream] = streams
  assert.ok(stream)
  await finished(stream).catch(() => undefined)
  if (!stream.closed) await once(stream, 'close')
  assert.equal(stream.destroyed, true)
})
