/**
 * Ends a connection behind an answer whose request has still a body to come. It is closed for writing at
 * once; what comes is thrown away for a moment more, since a connection that is cut while its client
 * sends takes the answer away with it.
 */
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

const lingerMs = 2000

const closing = new WeakSet<Socket>()

/** Whether an answer was given that ends the connection: no other request on it is taken. */
export const isClosing = (socket: Socket): boolean => closing.has(socket)

/** Call it before the answer is sent; nothing happens where the whole request has come. */
export const closeUnlessComplete = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
  if (raw.complete || !hasBody(raw.headers)) return
  reply.header('Connection', 'close')
  const { socket } = raw
  closing.add(socket)
  // The server calls it behind the last answer of a connection.
  socket.destroySoon = () => closeSoon(socket)
}

/** Writes the last of a connection; its client has a moment to read it and to leave by itself. */
export const closeSoon = (socket: Socket, last = ''): void => {
  closing.add(socket)
  socket.end(last)
  const late = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(late))
}

const hasBody = (headers: FastifyRequest['headers']): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
