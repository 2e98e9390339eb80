/** Connections: how many there may be, and how long one may be silent in the middle of something. */
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

// What waits is counted by pieces, and a large one may leave slowly: it has this many times the time, and so
// has who sends a byte now and then (docs/operations.md).
const patience = 10

/** What is known of a connection: how many answers are under way, and what was waiting at the last look. */
type Reader = { answers: number; waiting?: { readonly bytes: number; readonly since: number } }

/**
 * A timeout of a connection means that nothing came and nothing was taken. In the middle of an answer
 * it ends the connection only where something waits to be taken: an answer may take long to make.
 */
const cutStalledReaders = (server: FastifyInstance, timeoutMs: number): void => {
  const http = server.server
  // By connection: a set that every answer enters and leaves is made anew again and again, and each old one
  // keeps what is in the next until all garbage is collected.
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

/** Who sends something now and then is never silent, so what waits is looked at by itself too. */
const sweep = (readers: ReadonlyMap<Socket, Reader>, longestMs: number): void => {
  const now = performance.now()
  for (const [socket, reader] of readers) {
    const bytes = socket.writableLength
    if (bytes === 0) delete reader.waiting
    else if (reader.waiting?.bytes !== bytes) reader.waiting = { bytes, since: now }
    else if (now - reader.waiting.since > longestMs) socket.destroy()
  }
}
