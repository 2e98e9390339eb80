/**
 * Limits what requests hold in memory, for one caller and for all callers together: bodies until their request has ended, and
 * responses until they are read.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { saturated } from '../../errors.ts'
import { clientOf } from './server-limits.ts'

/** Who holds something: a user, or an address without one. */
type Holder = number | string

type Limits = { readonly ofCaller: number; readonly ofAll: number }

type ByteCount = {
  /** Which limit a number of further bytes would exceed, with those that are held elsewhere; undefined if none. */
  readonly beyond: (holder: Holder, bytes: number, elsewhere?: Limits) => keyof Limits | undefined
  /** Adds bytes, or releases them with a negative number. */
  readonly add: (holder: Holder, bytes: number) => void
}

/** Creates a count that starts with zero. */
export const createByteCount = (limits: Limits): ByteCount => {
  const held = new Map<Holder, number>()
  let ofAll = 0
  return {
    beyond: (holder, bytes, elsewhere = { ofCaller: 0, ofAll: 0 }) => {
      const ofCaller = (held.get(holder) ?? 0) + elsewhere.ofCaller
      if (ofCaller + bytes > limits.ofCaller) return 'ofCaller'
      return ofAll + elsewhere.ofAll + bytes > limits.ofAll ? 'ofAll' : undefined
    },
    add: (holder, bytes) => {
      ofAll += bytes
      const now = (held.get(holder) ?? 0) + bytes
      if (now === 0) held.delete(holder)
      else held.set(holder, now)
    },
  }
}

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

/**
 * Creates the count for a server with this maximum length of a body in bytes. A body counts with the length in its head before it has
 * arrived, and then with its own.
 */
export const limitBodies = (bodyLimit: number): BodyLimits => {
  const most = { ofCaller: maxPerCaller * bodyLimit, ofAll: maxOfAll * bodyLimit }
  const count = createByteCount(most)
  const largeBytes = bodyLimit * largePart
  // One for each large body.
  const large = createByteCount({ ofCaller: maxLargePerCaller, ofAll: Number.POSITIVE_INFINITY })
  const areLarge = new WeakSet<FastifyRequest>()
  const holdLarge = (request: FastifyRequest, bytes: number) => {
    if (bytes <= largeBytes || areLarge.has(request)) return
    if (large.beyond(callerOf(request), 1))
      throw saturated(
        `You have ${maxLargePerCaller} requests with bodies of more than ${largeBytes} bytes in progress.`,
      )
    large.add(callerOf(request), 1)
    areLarge.add(request)
  }
  const held = new WeakMap<FastifyRequest, number>()
  const change = (request: FastifyRequest, bytes: number) => {
    count.add(callerOf(request), bytes - (held.get(request) ?? 0))
    held.set(request, bytes)
  }
  return {
    hold: (request, reply) => {
      const bytes = lengthOf(request, bodyLimit)
      if (bytes === 0) return
      const limit = count.beyond(callerOf(request), bytes)
      if (limit) throw saturated(bodiesInProgress[limit](most[limit]))
      // Without a length it is known when it has come.
      if (request.headers['transfer-encoding'] === undefined) holdLarge(request, bytes)
      change(request, bytes)
      reply.raw.once('close', () => {
        if (areLarge.delete(request)) large.add(callerOf(request), -1)
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

const callerOf = ({ caller }: FastifyRequest): number => caller?.userId ?? 0

const bodiesInProgress = {
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

const mebibyte = 1024 * 1024
const mostUnread = { ofCaller: 64 * mebibyte, ofAll: 256 * mebibyte }
/** A smaller response is always sent, so that a waiting list does not block reading a record. */
const largeAnswer = mebibyte / 16

/** Throws request.saturated if the unread responses of a caller are at the limit already. */
export type AdmitReader = (request: FastifyRequest) => void

/**
 * Counts every response of a server from its creation until it is sent or its connection has closed. Exports are not counted; they
 * create no more than their client reads.
 */
export const limitAnswers = (server: FastifyInstance): AdmitReader => {
  const count = createByteCount(mostUnread)
  server.addHook('onSend', (request, reply, payload, done) => {
    const bytes = sizeOf(payload)
    const limit = mayRefuse(request, reply, bytes) && count.beyond(holderOf(request), bytes)
    if (limit) {
      reply.removeHeader('ETag')
      return done(saturated(unread[limit]))
    }
    holdAnswer(reply, (sign) => count.add(holderOf(request), sign * bytes))
    done()
  })
  return (request) => {
    if (count.beyond(holderOf(request), 0) === 'ofCaller') throw saturated(unread.ofCaller)
  }
}

// An answer that is read while it is sent holds a part of itself.
const partBytes = mebibyte

const sizeOf = (payload: unknown): number => {
  if (payload instanceof Readable) return partBytes
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0
}

/** The result of a change is always sent; only reads are refused. */
const mayRefuse = (request: FastifyRequest, { statusCode }: FastifyReply, bytes: number): boolean =>
  bytes > largeAnswer && statusCode < 400 && request.database.isReadOnly

const holderOf = ({ caller, ip }: FastifyRequest): number | string =>
  caller?.userId ?? `address ${clientOf(ip)}`

const holdAnswer = ({ raw }: FastifyReply, add: (sign: 1 | -1) => void): void => {
  // After a disconnect nothing is held: what is written is discarded.
  if (raw.destroyed) return
  add(1)
  raw.once('close', () => add(-1))
}

const unread = {
  ofCaller: `You have not read ${mostUnread.ofCaller / mebibyte} MiB of answers yet.`,
  ofAll: `Clients have not read ${mostUnread.ofAll / mebibyte} MiB of answers yet.`,
} as const
