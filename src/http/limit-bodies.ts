/**
 * Bodies that come slowly are held in memory until they are whole: how much of it one caller may take,
 * and all callers together. A body counts with the length that its head names, before it has come.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fault } from '../errors.ts'

/** Of the largest body that the service takes. */
const mostOfCaller = 16
const mostOfAll = 64

/** Counts the body of a request until the request is over; throws request.saturated beyond a limit. */
export type HoldBody = (request: FastifyRequest, reply: FastifyReply) => void

/** Makes the count for a server whose largest body has so many bytes. */
export const limitBodies = (bodyLimit: number): HoldBody => {
  const byCaller = new Map<number | undefined, number>()
  let ofAll = 0
  const add = (userId: number | undefined, bytes: number) => {
    ofAll += bytes
    const held = (byCaller.get(userId) ?? 0) + bytes
    if (held === 0) byCaller.delete(userId)
    else byCaller.set(userId, held)
  }
  return (request, reply) => {
    const bytes = lengthOf(request, bodyLimit)
    if (bytes === 0) return
    const userId = request.caller?.userId
    if ((byCaller.get(userId) ?? 0) + bytes > mostOfCaller * bodyLimit)
      throw saturated(`Bodies of yours of ${mostOfCaller * bodyLimit} bytes are still coming.`)
    if (ofAll + bytes > mostOfAll * bodyLimit)
      throw saturated(`Bodies of ${mostOfAll * bodyLimit} bytes are still coming.`)
    add(userId, bytes)
    reply.raw.once('close', () => add(userId, -bytes))
  }
}

/** One without a length may become as large as any; a larger one is refused before it is read. */
const lengthOf = ({ headers }: FastifyRequest, bodyLimit: number): number => {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit
  return Math.min(Number(headers['content-length'] ?? 0), bodyLimit)
}

const saturated = (detail: string) =>
  fault('request.saturated', detail, { headers: { 'Retry-After': '5' } })
