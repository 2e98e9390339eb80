/** A place in front of a service where its connections are cut, as when the service is killed or a cable is pulled. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterwards } from './afterwards.ts'

export type Relay = {
  readonly url: string
  /** Cuts every connection and takes none until it is resumed. */
  readonly cut: () => Promise<void>
  /** Cuts every connection as soon as so many more bytes have come from the service. */
  readonly cutAfter: (bytes: number) => void
  /** Leads to a service from now on. */
  readonly resume: (serviceUrl: string) => Promise<void>
}

/** Listens on a port of its own, which stays the same. */
export const startRelay = async (serviceUrl: string): Promise<Relay> => {
  let target = new URL(serviceUrl)
  const sockets = new Set<Socket>()
  let bytesLeft = Number.POSITIVE_INFINITY
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
    service.on('data', ({ length }) => {
      bytesLeft -= length
      if (bytesLeft < 0) void cut()
    })
    socket.pipe(service).pipe(socket)
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
    cutAfter: (bytes) => {
      bytesLeft = bytes
    },
    resume: async (next) => {
      bytesLeft = Number.POSITIVE_INFINITY
      target = new URL(next)
      if (!server.listening) await listen(port)
    },
  }
}
