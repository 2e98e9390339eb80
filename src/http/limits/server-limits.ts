/** The limits of the server; 0 means no limit. */
import type { BlockList } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { Config } from '../../config/load-config.ts'
import type { Observe } from '../../observations.ts'

export type ServerLimits = {
  /** Time to receive a whole request. */
  readonly bodyTimeoutMs: number
  /** Time in which a client reads nothing of a response. */
  readonly readerTimeoutMs: number
  readonly connections: number
  readonly connectionsPerAddress: number
  /** Per minute. */
  readonly requestsPerCaller: number
  /** Per minute. */
  readonly requestsPerAddress: number
  /** Per minute. */
  readonly wrongCredentialsPerAddress: number
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly proxies: BlockList | undefined
}

/** Those of the settings. */
export const limitsOf = (config: Config): ServerLimits => ({
  bodyTimeoutMs: config.BODY_TIMEOUT_SECONDS * 1000,
  readerTimeoutMs: config.READER_TIMEOUT_SECONDS * 1000,
  connections: config.CONNECTIONS_AT_ONCE,
  connectionsPerAddress: config.CONNECTIONS_PER_ADDRESS,
  requestsPerCaller: config.REQUESTS_PER_CALLER,
  requestsPerAddress: config.REQUESTS_PER_ADDRESS,
  wrongCredentialsPerAddress: config.WRONG_CREDENTIALS_PER_ADDRESS,
  proxies: config.TRUST_PROXY,
})

/** For a server that only its own test uses. */
export const unlimited: ServerLimits = {
  bodyTimeoutMs: 0,
  readerTimeoutMs: 0,
  connections: 0,
  connectionsPerAddress: 0,
  requestsPerCaller: 0,
  requestsPerAddress: 0,
  wrongCredentialsPerAddress: 0,
  proxies: undefined,
}

/** Whether an address is that of a trusted proxy. */
export const isProxy = ({ proxies }: ServerLimits, address: string): boolean =>
  proxies?.check(address, address.includes(':') ? 'ipv6' : 'ipv4') ?? false

/** What counts as one client: an IPv4 address, or the /64 network of an IPv6 address. */
export const clientOf = (address: string | undefined): string =>
  address === undefined ? '' : normalizeIP(address)

export type Reached = {
  readonly limit: keyof ServerLimits
  readonly address?: string
  readonly userId?: number
}

const toldEveryMs = 60_000

/** Reports that a limit was reached, each at most once a minute, because an attack must not fill the log. */
export const createLimitReporter = (observe: Observe): ((reached: Reached) => void) => {
  const toldAt = new Map<string, number>()
  return (reached) => {
    const last = toldAt.get(reached.limit)
    if (last !== undefined && performance.now() - last < toldEveryMs) return
    toldAt.set(reached.limit, performance.now())
    observe({ kind: 'limitReached', ...reached })
  }
}
