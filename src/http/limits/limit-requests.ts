/** Requests per minute: of one user, from one address, and with wrong credentials from one address. */
import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUnauthorized, isWrongCredential } from '../../auth/unauthorized.ts'
import { type ApiError, apiError } from '../../errors.ts'
import { clientOf, type Reached, type ServerLimits } from './server-limits.ts'

export type RequestLimits = {
  /** Counts a request of an address; throws request.too-many. */
  readonly countAddress: (request: FastifyRequest) => Promise<void>
  /** Counts a request of a known caller; throws request.too-many. */
  readonly countCaller: (request: FastifyRequest) => Promise<void>
  /** Throws request.too-many after too many wrong credentials from the address. */
  readonly refuseGuesses: (request: FastifyRequest) => Promise<void>
  /** Counts a rejected credential, if it was wrong. */
  readonly countGuess: (request: FastifyRequest, error: unknown) => Promise<void>
}

type Options = {
  readonly limits: ServerLimits
  readonly tellReached: (reached: Reached) => void
}

const nothing = async () => undefined
const windowMs = 60_000
// Beyond this number the least recently used address or user is dropped.
const remembered = 20_000

/** Adds the counters to a server that is not ready yet. */
export const limitRequests = (
  server: FastifyInstance,
  { limits, tellReached }: Options,
): RequestLimits => {
  const made: Partial<Record<keyof ServerLimits, Counter>> = {}
  const counters: readonly (keyof typeof keys)[] = [
    'requestsPerAddress',
    'requestsPerCaller',
    'wrongCredentialsPerAddress',
  ]
  server.register(rateLimit, { global: false }).after(() => {
    for (const limit of counters)
      if (limits[limit] > 0) made[limit] = createCounter(server, keys[limit], limits[limit])
  })
  const count = (limit: keyof typeof keys) =>
    limits[limit] === 0
      ? nothing
      : async (request: FastifyRequest): Promise<void> => {
          const waitSeconds = await made[limit]?.count(request)
          if (waitSeconds === undefined) return
          tellReached({ limit, ...whoOf(limit, request) })
          throw tooMany(details[limit](limits[limit]), waitSeconds)
        }
  const guesses = count('wrongCredentialsPerAddress')
  return {
    countAddress: count('requestsPerAddress'),
    countCaller: count('requestsPerCaller'),
    refuseGuesses: async (request) => {
      const waitSeconds = await made.wrongCredentialsPerAddress?.look(request)
      if (waitSeconds !== undefined)
        throw tooMany(
          details.wrongCredentialsPerAddress(limits.wrongCredentialsPerAddress),
          waitSeconds,
        )
    },
    countGuess: async (request, error) => {
      const isSent = request.headers.authorization !== undefined
      if (isWrongCredential(error) || (isSent && isUnauthorized(error))) await guesses(request)
    },
  }
}

const keys = {
  requestsPerAddress: ({ ip }: FastifyRequest) => clientOf(ip),
  requestsPerCaller: ({ caller }: FastifyRequest) => String(caller?.userId),
  wrongCredentialsPerAddress: ({ ip }: FastifyRequest) => clientOf(ip),
}

const details: Readonly<Record<keyof typeof keys, (most: number) => string>> = {
  requestsPerAddress: (most) => `${most} requests came from this address within a minute.`,
  requestsPerCaller: (most) => `${most} requests came from you within a minute.`,
  wrongCredentialsPerAddress: (most) =>
    `${most} wrong tokens, API keys or passwords came from this address within a minute.`,
}

const whoOf = (limit: keyof typeof keys, request: FastifyRequest) =>
  limit === 'requestsPerCaller' && request.caller
    ? { userId: request.caller.userId }
    : { address: clientOf(request.ip) }

const tooMany = (detail: string, waitSeconds: number): ApiError =>
  apiError('request.too-many', detail, { headers: { 'Retry-After': String(waitSeconds) } })

/** Both return the seconds to wait, or undefined within the limit. */
type Counter = {
  readonly count: (request: FastifyRequest) => Promise<number | undefined>
  readonly look: (request: FastifyRequest) => Promise<number | undefined>
}

const createCounter = (
  server: FastifyInstance,
  keyGenerator: (request: FastifyRequest) => string,
  max: number,
): Counter => {
  const options: RateLimitOptions = {
    max,
    keyGenerator,
    timeWindow: windowMs,
    cache: remembered,
  }
  const take = server.createRateLimit(options)
  const ask = async (request: FastifyRequest, increment: boolean) => {
    const found = await take(request, { increment })
    if (found.isAllowed) return undefined
    // A check counts nothing: at the limit no further request is possible.
    const isFull = increment ? found.isExceeded : found.remaining === 0
    return isFull ? Math.max(1, found.ttlInSeconds) : undefined
  }
  return {
    count: (request) => ask(request, true),
    look: (request) => ask(request, false),
  }
}
