/** In which ways people sign in to the console, besides an issuer and API keys (docs/console-sign-in.md). */
import { type Config, publicUrl } from '../config/load-config.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { ints, sql } from '../database/sql.ts'
import type { ProjectSettings, SignInWay } from '../definitions/schemas/role-definition.ts'
import { whyNoSite } from './passkeys/verify-passkey.ts'
import { isLoopback } from './tokens/development-issuer.ts'

export type SignInWays = {
  /** Those of this service, in the order in which they are named. */
  readonly offered: readonly SignInWay[]
  /** Why people do not sign in by a way here, with what to do; undefined if they do. */
  readonly whyNot: (way: SignInWay) => string | undefined
  /** Why nobody can be invited; undefined where an invitation leads to a way in. */
  readonly whyNoInvitations: string | undefined
}

/** Of the operator, else of the project; undefined: neither names any. */
const namedWays = (config: Config, { signIn }: ProjectSettings): readonly SignInWay[] | undefined =>
  config.SIGN_IN ?? signIn?.ways

/** The ways of one service. Without an issuer people have passwords and passkeys unless others are named. */
export const offeredSignInWays = (config: Config, settings: ProjectSettings): SignInWays => {
  const named = namedWays(config, settings)
  const all = named ?? (config.AUTH_ISSUER === undefined ? (['password', 'passkey'] as const) : [])
  const closed = whyClosed(config)
  const whyNot = (way: SignInWay): string | undefined => {
    if (all.includes(way)) return closed ?? (way === 'passkey' ? whyNoSite(config) : undefined)
    if (config.SIGN_IN !== undefined) return `SIGN_IN does not name "${way}".`
    return named === undefined && config.AUTH_ISSUER !== undefined
      ? `People sign in at AUTH_ISSUER; "signIn": {"ways": ["${way}"]} in docket.json, or SIGN_IN=${way}, offers it too.`
      : `The ways of "signIn" in docket.json do not name "${way}".`
  }
  const offered = all.filter((way) => whyNot(way) === undefined)
  const isWayIn = offered.length > 0 || signsInAtIssuer(config)
  return {
    offered,
    whyNot,
    whyNoInvitations: isWayIn ? undefined : whyNot(all[0] ?? 'password'),
  }
}

/** Whether an invitation leads to the issuer too, which then knows the invited user. */
const signsInAtIssuer = ({ AUTH_ISSUER, AUTH_CLIENT_ID }: Config): boolean =>
  AUTH_ISSUER !== undefined && AUTH_CLIENT_ID !== undefined

/** Whether e-mails reach people: those in a folder are read by the developer of this machine alone. */
export const sendsEmail = (config: Config): boolean => config.EMAIL_PROVIDER !== 'file'

/** Secrets of people cross no network as they are. */
const whyClosed = (config: Config): string | undefined =>
  publicUrl(config)?.startsWith('https:') || !isReachable(config)
    ? undefined
    : 'Other machines can reach the service without TLS: set PUBLIC_URL to its address with https (docs/deploy.md).'

/** What a service needs for its ways and does not have, with where it is named; undefined if it has all. */
export const findMissingOfWays = (
  config: Config,
  settings: ProjectSettings,
): { readonly isOfOperator: boolean; readonly message: string } | undefined => {
  const needsEmail = namedWays(config, settings)?.includes('code') === true
  if (!needsEmail || sendsEmail(config) || !isReachable(config)) return undefined
  return {
    isOfOperator: config.SIGN_IN !== undefined,
    message:
      '"code" is sent by e-mail, and EMAIL_PROVIDER=file sends none: set EMAIL_PROVIDER to another provider (docs/email.md), or leave "code" out',
  }
}

// Which tokens a service accepts besides API keys: those of an issuer, of the development issuer, or none.

/**
 * `issuer`: tokens of AUTH_ISSUER. `development`: tokens that the project signs itself, which is safe only
 * while no other machine can reach the service. `keys`: only API keys.
 */
export type AcceptedCredentials = 'issuer' | 'development' | 'keys'

/** Depends only on the settings. */
export const acceptedCredentials = (config: Config): AcceptedCredentials => {
  if (config.AUTH_ISSUER !== undefined) return 'issuer'
  return isReachable(config) ? 'keys' : 'development'
}

/** Whether other machines can reach the service: by the address that it listens on, or through a proxy that has the public one. */
const isReachable = ({ HOST, PUBLIC_URL }: Pick<Config, 'HOST' | 'PUBLIC_URL'>): boolean =>
  !isLoopback(HOST) || (PUBLIC_URL !== undefined && !isOwnName(new URL(PUBLIC_URL).hostname))

const isOwnName = (hostname: string): boolean =>
  isLoopback(hostname.replace(/^\[|\]$/g, '')) || hostname.endsWith('.localhost')

/**
 * The host names of a service with the development issuer: those of this machine. A page of another site could resolve its own
 * name to the address of this machine (DNS rebinding).
 */
export const hostCheckOf = (config: Config): ((hostname: string) => boolean) | undefined =>
  acceptedCredentials(config) === 'development' ? isOwnName : undefined

// By which ways users of the service itself can sign in.

type WaysOfUser = {
  readonly has_password: boolean
  readonly passkeys: number
  /** Whether an authenticator app is asked after the password. */
  readonly has_second_factor: boolean
}

/** The ways of some users, by their id; every given user has an entry. */
export const signInWaysOf = async (
  database: Queryable,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, WaysOfUser>> => {
  const rows = await queryRows<WaysOfUser & { readonly user_id: number }>(
    database,
    sql`
      SELECT given.user_id, p.user_id IS NOT NULL AS has_password, f.user_id IS NOT NULL AS has_second_factor,
        (SELECT count(*)::integer FROM docket.passkey k WHERE k.user_id = given.user_id) AS passkeys
      FROM unnest(${ints(userIds)}) AS given (user_id)
      LEFT JOIN docket.password p ON p.user_id = given.user_id
      LEFT JOIN docket.second_factor f ON f.user_id = given.user_id`,
  )
  return new Map(rows.map(({ user_id, ...ways }) => [user_id, ways]))
}
