/** Connections: their maximum number, and how long one may be idle in the middle of a request or response. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { apiError } from '../../errors.ts'
import { endWithProblem } from '../error-reply.ts'
import { clientOf, isProxy, type Reached, type ServerLimits } from './server-limits.ts'

type Options = {
  readonly limits: ServerLimits
  readonly tellReached: (reached: Reached) => void
}

/** Limits the connections of a server that does not listen yet. */
export const limitConnections = (
  server: FastifyInstance,
  { limits, tellReached }: Options,
): void => {
  const http = server.server
  if (limits.connections > 0) {
    http.maxConnections = limits.connections
    http.on('drop', () => tellReached({ limit: 'connections' }))
  }
  if (limits.connectionsPerAddress > 0)
    http.on('connection', countByAddress(limits.connectionsPerAddress, { limits, tellReached }))
  if (limits.readerTimeoutMs > 0) cutStalledReaders(server, limits.readerTimeoutMs)
}

const countByAddress = (most: number, { limits, tellReached }: Options) => {
  const open = new Map<string, number>()
  return (socket: Socket): void => {
    const address = clientOf(socket.remoteAddress)
    if (isProxy(limits, socket.remoteAddress ?? '')) return
    const count = (open.get(address) ?? 0) + 1
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
    if (count <= most) return
    tellReached({ limit: 'connectionsPerAddress', address })
    const detail = `${most} connections are open from this address.`
    endWithProblem(
      socket,
      apiError('request.too-many', detail, { headers: { 'Retry-After': '10' } }),
    )
  }
}

// Pending data is counted in chunks, and a large chunk may be sent slowly: it has this many times the
// limit, and so has a client that sends data from time to time (docs/operations.md).
const patience = 10

/** The state of a connection: the number of responses in progress, and what was pending at the last check. */
type Reader = { answers: number; waiting?: { readonly bytes: number; readonly since: number } }

/**
 * A timeout of a connection means that nothing was received and nothing was sent. In the middle of a
 * response it closes the connection only if data is pending, because creating a response may take long.
 */
const cutStalledReaders = (server: FastifyInstance, timeoutMs: number): void => {
  const http = server.server
  // By connection: a set that every response enters and leaves would be recreated repeatedly, and each old
  // one keeps the entries of the next until a full garbage collection.
  const readers = new Map<Socket, Reader>()
  http.timeout = timeoutMs
  http.on('connection', (socket) => {
    readers.set(socket, { answers: 0 })
    socket.once('close', () => readers.delete(socket))
  })
  http.on('timeout', (socket) => {
    if (!readers.get(socket)?.answers || socket.writableLength > 0) socket.destroy()
  })
  server.addHook('onRequest', (request, { raw }, done) => {
    const reader = readers.get(request.raw.socket)
    if (reader) {
      reader.answers += 1
      raw.once('close', () => {
        reader.answers -= 1
      })
    }
    done()
  })
  const timer = setInterval(() => sweep(readers, timeoutMs * patience), timeoutMs).unref()
  server.addHook('onClose', async () => clearInterval(timer))
}

/** A client that sends data from time to time has no timeout, so pending data is also checked separately. */
const sweep = (readers: ReadonlyMap<Socket, Reader>, longestMs: number): void => {
  const now = performance.now()
  for (const [socket, reader] of readers) {
    const bytes = socket.writableLength
    if (bytes === 0) delete reader.waiting
    else if (reader.waiting?.bytes !== bytes) reader.waiting = { bytes, since: now }
    else if (now - reader.waiting.since > longestMs) socket.destroy()
  }
}
