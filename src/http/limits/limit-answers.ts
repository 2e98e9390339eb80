/**
 * Answers that nobody reads are held in memory until their connection is cut: how much of it one caller may
 * take, and all callers together. Exports are not counted; they make no more than their reader takes.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { apiError } from '../../errors.ts'
import { createByteCount } from './byte-count.ts'
import { clientOf } from './server-limits.ts'

const mebibyte = 1024 * 1024
const most = { ofCaller: 64 * mebibyte, ofAll: 256 * mebibyte }
/** A smaller one is always given, so that a list that waits refuses nobody a record. */
const largeBytes = mebibyte / 16

/** Throws request.saturated where what waits for a caller is at the limit already. */
export type AdmitReader = (request: FastifyRequest) => void

/** Counts every answer of a server from when it is made until it is sent or its connection has closed. */
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

const sizeOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0

/** The outcome of a change is always answered; only reads are refused. */
const mayRefuse = (request: FastifyRequest, { statusCode }: FastifyReply, bytes: number): boolean =>
  bytes > largeBytes && statusCode < 400 && request.database.isReadOnly

const holderOf = ({ caller, ip }: FastifyRequest): number | string =>
  caller?.userId ?? `address ${clientOf(ip)}`

const hold = ({ raw }: FastifyReply, add: (sign: 1 | -1) => void): void => {
  // Whoever has left holds nothing: what is written to them is thrown away.
  if (raw.destroyed) return
  add(1)
  raw.once('close', () => add(-1))
}

const details = {
  ofCaller: `Answers to you of ${most.ofCaller / mebibyte} MiB are not read yet.`,
  ofAll: `Answers of ${most.ofAll / mebibyte} MiB are not read yet.`,
} as const

const saturated = (limit: keyof typeof most) =>
  apiError('request.saturated', details[limit], { headers: { 'Retry-After': '5' } })
