/** Has a received file looked at by a scanner of the operator: clamd, or a program behind an address. */
import type { FileHandle } from 'node:fs/promises'
import { connect } from 'node:net'
import { ReadableStream } from 'node:stream/web'
import { errorText } from '../errors.ts'
import { within } from '../within.ts'

/** `failed`: there was no answer, so that nothing is known. */
export type ScanResult =
  | { readonly kind: 'clean' }
  | { readonly kind: 'infected'; readonly finding: string }
  | { readonly kind: 'failed'; readonly finding: string }

type Scan = (address: URL, file: FileHandle, bytes: number) => Promise<ScanResult>

const scanWithinMs = 120_000
const pieceBytes = 262_144
// An answer is one line.
const maxAnswer = 1000

const piecesOf = (file: FileHandle): AsyncIterable<Buffer> =>
  file.createReadStream({ autoClose: false, start: 0, highWaterMark: pieceBytes })

/** The command INSTREAM of clamd: pieces with their lengths, and one of length 0. */
const byClamd: Scan = async ({ hostname, port }, file) => {
  const socket = connect(Number(port || 3310), hostname.replace(/^\[|\]$/g, ''))
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let answer = ''
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text
    if (answer.includes('\0') || answer.length > maxAnswer) resolve(answer)
  })
  socket.on('error', reject).on('close', () => resolve(answer))
  // Its error is handled where it is awaited.
  promise.catch(() => undefined)
  const write = async (bytes: Buffer | string): Promise<void> => {
    if (socket.write(bytes)) return
    const drained = new Promise((done) => socket.once('drain', done))
    await Promise.race([drained, promise])
  }
  try {
    await within(
      scanWithinMs,
      (async () => {
        await write('zINSTREAM\0')
        for await (const piece of piecesOf(file)) {
          // It answers early when the file is larger than it takes.
          if (answer !== '' || socket.destroyed) return
          await write(lengthOf(piece.length))
          await write(piece)
        }
        await write(lengthOf(0))
        await promise
      })(),
      'It did not answer in time.',
    )
    return resultOf((await promise).replace(/\0.*$/s, '').trim())
  } finally {
    socket.destroy()
  }
}

const lengthOf = (length: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  return bytes
}

const resultOf = (answer: string): ScanResult => {
  if (answer === 'stream: OK') return { kind: 'clean' }
  const [, finding] = /^stream: (.+) FOUND$/.exec(answer) ?? []
  return finding === undefined
    ? { kind: 'failed', finding: answer || 'It closed the connection.' }
    : { kind: 'infected', finding }
}

/** The file by POST: 2xx says that it is clean, 422 that it is not, with the reason as text. */
const byHook: Scan = async (address, file, bytes) => {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(bytes) },
    body: ReadableStream.from(piecesOf(file)),
    duplex: 'half',
    redirect: 'error',
    signal: AbortSignal.timeout(scanWithinMs),
  } as RequestInit)
  if (response.ok || response.status !== 422) await response.body?.cancel()
  if (response.ok) return { kind: 'clean' }
  if (response.status !== 422) return { kind: 'failed', finding: `It answered ${response.status}.` }
  return { kind: 'infected', finding: (await response.text()).slice(0, maxAnswer) }
}

/** Never throws: whatever goes wrong is no answer. */
export const scanFile = async (
  address: string,
  file: FileHandle,
  bytes: number,
): Promise<ScanResult> => {
  const url = new URL(address)
  try {
    return await (url.protocol === 'clamd:' ? byClamd : byHook)(url, file, bytes)
  } catch (error) {
    return { kind: 'failed', finding: errorText(error) }
  }
}
