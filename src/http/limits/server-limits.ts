/** How much the server takes from whom; 0 is no limit. */
import type { BlockList } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { Config } from '../../config/load-config.ts'
import type { Observe } from '../../observations.ts'

export type ServerLimits = {
  /** Time for a whole request to come. */
  readonly bodyTimeoutMs: number
  /** Time without a byte taken of an answer. */
  readonly readerTimeoutMs: number
  readonly connections: number
  readonly connectionsPerAddress: number
  /** In a minute. */
  readonly requestsPerCaller: number
  /** In a minute. */
  readonly requestsPerAddress: number
  /** In a minute. */
  readonly wrongCredentialsPerAddress: number
  /** Proxies that tell whose requests they pass on. */
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

/** For a server that only its own test asks. */
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

/** Whether an address is that of a proxy whose word about its clients is taken. */
export const isProxy = ({ proxies }: ServerLimits, address: string): boolean =>
  proxies?.check(address, address.includes(':') ? 'ipv6' : 'ipv4') ?? false

/** What is counted as one client: an IPv4 address, or the /64 network of an IPv6 address. */
export const clientOf = (address: string | undefined): string =>
  address === undefined ? '' : normalizeIP(address)

export type Reached = {
  readonly limit: keyof ServerLimits
  readonly address?: string
  readonly userId?: number
}

const toldEveryMs = 60_000

/** Tells that a limit was reached, each at most once a minute: an attack must not fill the log. */
export const createLimitReporter = (observe: Observe): ((reached: Reached) => void) => {
  const toldAt = new Map<string, number>()
  return (reached) => {
    const last = toldAt.get(reached.limit)
    if (last !== undefined && performance.now() - last < toldEveryMs) return
    toldAt.set(reached.limit, performance.now())
    observe({ kind: 'limitReached', ...reached })
  }
}
