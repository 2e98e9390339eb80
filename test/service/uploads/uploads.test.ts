/** Files that are sent: what is answered, what is refused before it is read, and what is left of those that do not arrive. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openFolderStore } from '../../../src/blobs/folder-store.ts'
import { RequestContext } from '../../../src/database/request-context.ts'
import { createUploads } from '../../../src/uploads/receive-uploads.ts'
import { sharedProject, users } from '../../support/a-project.ts'
import { afterwards } from '../../support/afterwards.ts'
import { sendRaw } from '../../support/hostile/raw-http.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/wait.ts'

const service = await sharedProject()
const { ask, database, runtime } = service

const upload = (body: string, name: string, as: string = users.buyer) =>
  ask('POST', '/api/uploads', {
    as,
    body,
    headers: {
      'Content-Type': 'text/plain',
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    },
  })

const rows = async (statement: string, values: unknown[]) =>
  (await database.pool.query({ text: statement, values, rowMode: 'array' })).rows

test('a file is answered with what it is; the same bytes are stored once, and nobody learns of it', async () => {
  const content = 'code,name\n1,Šibenik\n'
  const sha256 = createHash('sha256').update(content).digest('hex')
  const bytes = Buffer.byteLength(content)
  const first = (await upload(content, 'towns.csv')).json(201)
  const second = (await upload(content, '../Šibenik.csv', users.clerk)).json(201)
  const same = { sha256, bytes, mimetype: 'text/csv' }
  assert.deepEqual(first, { upload: first.upload, ...same, filename: 'towns.csv' })
  assert.deepEqual(second, { upload: second.upload, ...same, filename: 'Šibenik.csv' })
  assert.match(first.upload, /^up_[\w-]{32}$/)
  assert.notEqual(first.upload, second.upload)
  assert.equal(await text(await runtime.blobs.open(sha256)), content)
  const found = await rows(
    `SELECT b.state, b.bytes, count(u.id) FROM docket.blob b JOIN docket.upload u USING (sha256)
     WHERE sha256 = $1 GROUP BY 1, 2`,
    [sha256],
  )
  assert.deepEqual(found, [['stored', bytes, 2]])
})

test('an upload is removed by its user alone', async () => {
  const { upload: id } = (await upload('mine', 'mine.txt')).json(201)
  const remove = (as: string) => ask('DELETE', `/api/uploads/${id}`, { as })
  assert.equal((await remove(users.clerk)).json(404).code, 'upload.unknown')
  assert.equal((await remove(users.buyer)).status, 204)
  assert.equal((await remove(users.buyer)).json(404).code, 'upload.unknown')
  assert.equal((await ask('DELETE', '/api/uploads/%00')).status, 400)
})

test('nothing is read of a file that is too large, has no name, or that its sender has no use for', async () => {
  const refused = async (as: string, more: string, status: number, code: string) => {
    const head = `POST /api/uploads HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${await service.tokenOf(as)}\r\n${more}\r\n\r\n`
    // Nothing follows the head.
    const answer = await sendRaw(service.url, { send: head, until: 'closed' })
    assert.equal(answer.status, status, answer.text)
    assert.ok(answer.text.includes(`"code":"${code}"`), answer.text)
  }
  const name = 'Content-Disposition: attachment; filename="a.txt"'
  await refused(users.buyer, `${name}\r\nContent-Length: 52428801`, 413, 'request.too-large')
  await refused(users.buyer, 'Content-Length: 10', 400, 'request.invalid')
  await refused(
    users.buyer,
    'Content-Disposition: inline\r\nContent-Length: 10',
    400,
    'request.invalid',
  )
  await refused(
    users.buyer,
    `${name}\r\nContent-Encoding: gzip\r\nContent-Length: 10`,
    415,
    'request.not-json',
  )
  const { code, detail } = (await upload('', 'empty.txt')).json(400)
  assert.deepEqual([code, detail], ['request.invalid', 'The file is empty.'])
})

/** Uploads into a folder of their own, with other limits. */
const aReceiver = async (userBytes: number, scanner?: string) => {
  const folder = join(temporaryFolder(), 'files')
  const blobs = openFolderStore({ folder, isOwn: true })
  const { pool } = database
  const most = { ofCaller: userBytes, ofAll: 1_000_000_000 }
  const { receive } = createUploads({
    pool,
    blobs,
    most,
    scanner,
    maxBytes: 100,
    stripsLocations: false,
  })
  // No user has the id.
  const userId = 2_000_000_000 + Math.floor(Math.random() * 100_000_000)
  const send = (body: PassThrough, bytes?: number) => {
    const request = new RequestContext({ callerKey: 'test', isReadOnly: false, timeoutMs: 60_000 })
    const caller = { userId, actingUser: null, roleKey: 'buyer', fullName: 'A', email: 'a@b.c' }
    const origin = { address: '127.0.0.1', userAgent: undefined }
    return receive({ caller, origin, filename: 'a.txt', body, bytes, request })
  }
  return { folder, send, userId }
}

const streamOf = (content: string) => {
  const body = new PassThrough()
  body.end(content)
  return body
}

test('bytes of uploads that no record uses are limited, also of those that are still coming', async () => {
  const { send, userId } = await aReceiver(150)
  const [coming, refused] = [new PassThrough(), new PassThrough()]
  const first = send(coming)
  coming.write('f')
  await until('the first one is read', () => coming.readableLength === 0)
  // Of a body without a length, the most that it may have.
  await assert.rejects(send(refused, 51), { code: 'upload.too-much' })
  assert.equal(refused.readableFlowing, null)
  coming.end(`irst of ${userId}`.padEnd(89))
  await first
  await assert.rejects(send(streamOf('x'), 61), { code: 'upload.too-much' })
  const { id } = await send(streamOf(`second of ${userId}`.padEnd(60)), 60)
  await assert.rejects(send(streamOf('x'), 1), { code: 'upload.too-much' })
  await database.pool.query('DELETE FROM docket.upload WHERE id = $1', [id])
  await send(streamOf(`third of ${userId}`.padEnd(60)), 60)
})

test('nothing is left of a file that is cut off, or has more bytes than its head says', async () => {
  const { send, folder, userId } = await aReceiver(1000)
  const cut = new PassThrough()
  const receiving = send(cut, 100)
  cut.write('the beginning')
  setImmediate(() => cut.destroy())
  await assert.rejects(receiving, { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  await assert.rejects(send(streamOf('x'.repeat(101))), { code: 'request.too-large' })
  await assert.rejects(send(streamOf('')), { code: 'request.invalid' })
  assert.deepEqual(await readdir(join(folder, 'received')), [])
  assert.deepEqual(await rows('SELECT id FROM docket.upload WHERE user_id = $1', [userId]), [])
})

/** Answers what clamd does, by what the file has. */
const aScanner = async (answers: Readonly<Record<string, string>>) => {
  const server = createNetServer((socket) => {
    let received = Buffer.alloc(0)
    socket
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => {
        received = Buffer.concat([received, bytes])
        if (!received.subarray(-4).equals(Buffer.alloc(4))) return
        assert.ok(received.toString('latin1').startsWith('zINSTREAM\0'))
        const content = received.subarray(14, -4).toString()
        socket.end(answers[content] ?? '')
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => new Promise((resolve) => server.close(resolve))
  afterwards(close)
  return { address: `clamd://127.0.0.1:${port}`, close }
}

test('a file that the scanner refuses or does not answer for is not kept, and the audit says so', async () => {
  const scanner = await aScanner({
    harmless: 'stream: OK\0',
    infected: 'stream: Eicar-Test-Signature FOUND\0',
    'too large': 'INSTREAM size limit exceeded. ERROR\0',
  })
  const { send, userId } = await aReceiver(1000, scanner.address)
  await send(streamOf('harmless'))
  await assert.rejects(send(streamOf('infected')), {
    code: 'upload.refused',
    message: 'It was found: Eicar-Test-Signature.',
  })
  for (const content of ['too large', 'no answer'])
    await assert.rejects(send(streamOf(content)), { code: 'upload.not-scanned' })
  await scanner.close()
  await assert.rejects(send(streamOf('harmless')), { code: 'upload.not-scanned' })
  const events = await rows(
    `SELECT detail ->> 'reason', left(detail ->> 'finding', 20) FROM docket.audit
     WHERE kind = 'refuseFile' AND user_id = $1 ORDER BY id`,
    [userId],
  )
  assert.deepEqual(events.slice(0, 3), [
    ['infected', 'Eicar-Test-Signature'],
    ['failed', 'INSTREAM size limit '],
    ['failed', 'It closed the connec'],
  ])
  assert.match(String(events[3]?.[1]), /ECONNREFUSED/)
  const kept = await rows('SELECT count(*) FROM docket.upload WHERE user_id = $1', [userId])
  assert.deepEqual(kept, [[1]])
})

test('a program behind an address says by its status whether a file is kept', async () => {
  const server = createServer(async (request, response) => {
    const content = await text(request)
    response.statusCode = content === 'harmless' ? 204 : content === 'infected' ? 422 : 500
    response.end(response.statusCode === 422 ? 'A macro\0' : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterwards(() => new Promise((resolve) => server.close(resolve)))
  // Settings take https alone.
  const { send } = await aReceiver(
    1000,
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )
  await send(streamOf('harmless'))
  await assert.rejects(send(streamOf('infected')), { message: 'It was found: A macro .' })
  await assert.rejects(send(streamOf('broken')), { code: 'upload.not-scanned' })
})
