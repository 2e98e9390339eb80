/**
 * Limits unread responses, which are held in memory until their connection is closed: for one caller, and
 * for all callers together. Exports are not counted; they create no more than their client reads.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { apiError } from '../../errors.ts'
import { createByteCount } from './byte-count.ts'
import { clientOf } from './server-limits.ts'

const mebibyte = 1024 * 1024
const most = { ofCaller: 64 * mebibyte, ofAll: 256 * mebibyte }
/** A smaller response is always sent, so that a waiting list does not block reading a record. */
const largeBytes = mebibyte / 16

/** Throws request.saturated if the unread responses of a caller are at the limit already. */
export type AdmitReader = (request: FastifyRequest) => void

/** Counts every response of a server from its creation until it is sent or its connection has closed. */
export const limitAnswers = (server: FastifyInstance): AdmitReader => {
  const count = createByteCount(most)
  server.addHook('onSend', (request, reply, payload, done) => {
    const bytes = sizeOf(payload)
    const limit = mayRefuse(request, reply, bytes) && count.beyond(holderOf(request), bytes)
    if (limit) {
      reply.removeHeader('ETag')
      return done(saturated(limit))
    }
    hold(reply, (sign) => count.add(holderOf(request), sign * bytes))
    done()
  })
  return (request) => {
    if (count.beyond(holderOf(request), 0) === 'ofCaller') throw saturated('ofCaller')
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
  bytes > largeBytes && statusCode < 400 && request.database.isReadOnly

const holderOf = ({ caller, ip }: FastifyRequest): number | string =>
  caller?.userId ?? `address ${clientOf(ip)}`

const hold = ({ raw }: FastifyReply, add: (sign: 1 | -1) => void): void => {
  // After a disconnect nothing is held: what is written is discarded.
  if (raw.destroyed) return
  add(1)
  raw.once('close', () => add(-1))
}

const details = {
  ofCaller: `You have not read ${most.ofCaller / mebibyte} MiB of answers yet.`,
  ofAll: `Clients have not read ${most.ofAll / mebibyte} MiB of answers yet.`,
} as const

const saturated = (limit: keyof typeof most) =>
  apiError('request.saturated', details[limit], { headers: { 'Retry-After': '5' } })
