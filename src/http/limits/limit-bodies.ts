/**
 * Limits incoming bodies, which are held in memory until they are complete: for one caller, and for all
 * callers together. A body counts with the length in its head before it has arrived, and then with its own:
 * its data stays until the request has ended.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiError } from '../../errors.ts'
import { createByteCount } from './byte-count.ts'

/** Relative to the largest body that the service accepts. */
const maxPerCaller = 16
const maxOfAll = 64
/** A body of more than this part of the largest one takes long to process, and other requests wait for it. */
const largePart = 1 / 4
const maxLargePerCaller = 2

export type BodyLimits = {
  /** Counts the body of a request until the request has ended; throws request.saturated beyond a limit. */
  readonly hold: (request: FastifyRequest, reply: FastifyReply) => void
  /** Sets the actual length of a body that has arrived completely; throws request.saturated too. */
  readonly hasCome: (request: FastifyRequest, bytes: number) => void
}

/** Creates the count for a server with this maximum length of a body in bytes. */
export const limitBodies = (bodyLimit: number): BodyLimits => {
  const most = { ofCaller: maxPerCaller * bodyLimit, ofAll: maxOfAll * bodyLimit }
  const count = createByteCount(most)
  const largeBytes = bodyLimit * largePart
  // One for each large body.
  const large = createByteCount({ ofCaller: maxLargePerCaller, ofAll: Number.POSITIVE_INFINITY })
  const areLarge = new WeakSet<FastifyRequest>()
  const holdLarge = (request: FastifyRequest, bytes: number) => {
    if (bytes <= largeBytes || areLarge.has(request)) return
    if (large.beyond(holderOf(request), 1))
      throw saturated(
        `You have ${maxLargePerCaller} requests with bodies of more than ${largeBytes} bytes in progress.`,
      )
    large.add(holderOf(request), 1)
    areLarge.add(request)
  }
  const held = new WeakMap<FastifyRequest, number>()
  const change = (request: FastifyRequest, bytes: number) => {
    count.add(holderOf(request), bytes - (held.get(request) ?? 0))
    held.set(request, bytes)
  }
  return {
    hold: (request, reply) => {
      const bytes = lengthOf(request, bodyLimit)
      if (bytes === 0) return
      const limit = count.beyond(holderOf(request), bytes)
      if (limit) throw saturated(details[limit](most[limit]))
      // Without a length it is known when it has come.
      if (request.headers['transfer-encoding'] === undefined) holdLarge(request, bytes)
      change(request, bytes)
      reply.raw.once('close', () => {
        if (areLarge.delete(request)) large.add(holderOf(request), -1)
        change(request, 0)
        held.delete(request)
      })
    },
    hasCome: (request, bytes) => {
      if (!held.has(request)) return
      holdLarge(request, bytes)
      change(request, bytes)
    },
  }
}

const holderOf = ({ caller }: FastifyRequest): number => caller?.userId ?? 0

const details = {
  ofCaller: (most: number) => `You have requests with bodies of ${most} bytes in progress.`,
  ofAll: (most: number) => `Requests with bodies of ${most} bytes are in progress.`,
} as const

/** The bytes of a body: its declared length, or the limit without one. */
const lengthOf = ({ raw, headers }: FastifyRequest, bodyLimit: number): number => {
  // A short one has arrived with its head.
  if (raw.complete) return raw.readableLength
  if (headers['transfer-encoding'] !== undefined) return bodyLimit
  return Math.min(Number(headers['content-length'] ?? 0), bodyLimit)
}

const saturated = (detail: string) =>
  apiError('request.saturated', detail, { headers: { 'Retry-After': '5' } })
