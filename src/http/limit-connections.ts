/** Connections: how many there may be, and how long one may be silent in the middle of something. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { fault } from '../errors.ts'
import { endWithProblem } from './error-reply.ts'
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
    endWithProblem(socket, fault('request.too-many', detail, { headers: { 'Retry-After': '10' } }))
  }
}

/**
 * A timeout of a connection means that nothing came and nothing was taken. In the middle of an answer
 * it ends the connection only where something waits to be taken: an answer may take long to make.
 */
const cutStalledReaders = (server: FastifyInstance, timeoutMs: number): void => {
  server.server.timeout = timeoutMs
  const answers = new Set<ServerResponse>()
  server.addHook('onRequest', (_request, { raw }, done) => {
    answers.add(raw)
    raw.once('close', () => answers.delete(raw))
    raw.on('timeout', () => {
      if (raw.socket && raw.socket.writableLength > 0) raw.socket.destroy()
    })
    done()
  })
  const sweep = createSweep(answers, timeoutMs * patience)
  const timer = setInterval(sweep, timeoutMs).unref()
  server.addHook('onClose', async () => clearInterval(timer))
}

// What waits is counted by pieces, and a large one may leave slowly: it has this many times the time, and so
// has who sends a byte now and then (docs/operations.md).
const patience = 10

/** Who sends something now and then is never silent, so what waits is looked at by itself too. */
const createSweep = (answers: ReadonlySet<ServerResponse>, longestMs: number): (() => void) => {
  const waiting = new WeakMap<ServerResponse, { readonly bytes: number; readonly since: number }>()
  return () => {
    const now = performance.now()
    for (const answer of answers) {
      const bytes = answer.socket?.writableLength ?? 0
      const before = waiting.get(answer)
      if (bytes === 0) waiting.delete(answer)
      else if (before?.bytes !== bytes) waiting.set(answer, { bytes, since: now })
      else if (now - before.since > longestMs) answer.socket?.destroy()
    }
  }
}
