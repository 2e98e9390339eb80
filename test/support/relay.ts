/** A place in front of a service where its connections are cut, as when the service is killed or a cable is pulled, or held. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { afterwards } from './afterwards.ts'

const untilArrivedMs = 100

export type Relay = {
  readonly url: string
  /** Cuts every connection and takes none until it is resumed. */
  readonly cut: () => Promise<void>
  /** Cuts every connection as soon as so many bytes of the answer to a request with this text have arrived. */
  readonly cutAfter: (bytes: number, requestText: string) => void
  /** Takes no more than so many bytes of that answer from the service until the connection ends, as of a reader that takes nothing. */
  readonly holdAfter: (bytes: number, requestText: string) => void
  /** Leads to a service from now on. */
  readonly resume: (serviceUrl: string) => Promise<void>
}

/** Listens on a port of its own, which stays the same. */
export const startRelay = async (serviceUrl: string): Promise<Relay> => {
  let target = new URL(serviceUrl)
  const sockets = new Set<Socket>()
  const noLimit = { bytesLeft: Number.POSITIVE_INFINITY, requestText: '', isCut: false }
  let limit = { ...noLimit }
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((socket) => {
    const service = connect(Number(target.port), target.hostname)
    keep(socket)
    keep(service)
    socket.on('close', () => service.destroy())
    service.on('close', () => socket.destroy())
    // Only the answer is counted: the page may read other things at the same time.
    let isCounted = false
    socket.on('data', (bytes) => {
      isCounted ||= limit.requestText !== '' && bytes.includes(limit.requestText)
    })
    const answers = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (!isCounted || chunk.length <= limit.bytesLeft) {
          if (isCounted) limit.bytesLeft -= chunk.length
          done(undefined, chunk)
          return
        }
        // The bytes before the limit arrive, however they were put together; nothing follows them.
        answers.push(chunk.subarray(0, limit.bytesLeft))
        if (limit.isCut) setTimeout(() => void cut(), untilArrivedMs)
      },
    })
    socket.pipe(service).pipe(answers).pipe(socket)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  afterwards(cut)
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    cutAfter: (bytesLeft, requestText) => {
      limit = { bytesLeft, requestText, isCut: true }
    },
    holdAfter: (bytesLeft, requestText) => {
      limit = { bytesLeft, requestText, isCut: false }
    },
    resume: async (next) => {
      limit = { ...noLimit }
      target = new URL(next)
      if (!server.listening) await listen(port)
    },
  }
}
