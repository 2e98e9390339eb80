/**
 * Closes a connection after a response whose request body has not arrived completely. It is closed for
 * writing immediately; incoming data is discarded for a moment, because closing the connection while the
 * client sends would lose the response.
 */
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

const lingerMs = 2000

const closing = new WeakSet<Socket>()

/** Whether a response closes the connection: no further request on it is accepted. */
export const isClosing = (socket: Socket): boolean => closing.has(socket)

/** Call it before the response is sent; nothing happens if the whole request has arrived. */
export const closeUnlessComplete = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
  if (raw.complete || !hasBody(raw.headers)) return
  reply.header('Connection', 'close')
  const { socket } = raw
  closing.add(socket)
  // The server calls it after the last response of a connection.
  socket.destroySoon = () => closeSoon(socket)
}

/**
 * Writes the last response of a connection; its client has a moment to read it and to close the connection.
 */
export const closeSoon = (socket: Socket, last = ''): void => {
  closing.add(socket)
  socket.end(last)
  const late = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(late))
}

const hasBody = (headers: FastifyRequest['headers']): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
