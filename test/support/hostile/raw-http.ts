/** Sends raw bytes to an HTTP service. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  readonly status: number
  readonly text: string
  /** Whether the service closed the connection. */
  readonly isClosed: boolean
}

type RawOptions = {
  /** The whole request, or its beginning. */
  readonly send: string | Buffer
  /** What to wait for: the end of the connection, or one response. */
  readonly until: 'closed' | 'answered'
  readonly withinMs?: number
}

/** Sends bytes and reads the response; fails when none is received in time. */
export const sendRaw = async (url: string, options: RawOptions): Promise<RawAnswer> => {
  const { send, until, withinMs = 100_000 } = options
  const socket = await openSocket(url)
  let text = ''
  let isClosed = false
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const closed = closeOf(socket).then(() => {
    isClosed = true
  })
  socket.write(send)
  const isDone = () => isClosed || (until === 'answered' && /\r\n\r\n/.test(text))
  const deadline = performance.now() + withinMs
  while (!isDone()) {
    assert.ok(
      performance.now() < deadline,
      `no response within ${withinMs} ms; received so far: ${text}`,
    )
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 10))])
  }
  socket.destroy()
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text, isClosed }
}

/** Resolves when a connection is closed, also by an error. */
export const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve())
  })

/** Opens a connection to the service at a URL. */
export const openSocket = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}
