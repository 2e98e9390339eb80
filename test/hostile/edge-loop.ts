/** Speaks to a service in bytes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  readonly status: number
  readonly text: string
  /** Whether the service ended the connection. */
  readonly isClosed: boolean
}

type RawOptions = {
  /** The whole request, or its beginning. */
  readonly send: string | Buffer
  /** What it waits for: the end of the connection, or one answer. */
  readonly until: 'closed' | 'answered'
  readonly withinMs?: number
}

/** Sends bytes and reads what comes; fails where nothing does in time. */
export const sendRaw = async (url: string, options: RawOptions): Promise<RawAnswer> => {
  const { send, until, withinMs = 30_000 } = options
  const socket = await openSocket(url)
  let text = ''
  let isClosed = false
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  const closed = closeOf(socket).then(() => {
    isClosed = true
  })
  socket.write(send)
  const isDone = () => isClosed || (until === 'answered' && /\r\n\r\n/.test(text))
  const deadline = performance.now() + withinMs
  while (!isDone()) {
    assert.ok(performance.now() < deadline, `no answer in ${withinMs} ms; so far: ${text}`)
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 10))])
  }
  socket.destroy()
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text, isClosed }
}

/** The end of a connection, however it comes: one that is cut is closed too. */
export const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve())
  })

/** A connection to the service at a URL. */
export const openSocket = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}
