/** In which ways people sign in to the console, besides an issuer and API keys (docs/console-sign-in.md). */
import { type Config, publicUrl } from '../config/load-config.ts'
import type { ProjectSettings, SignInWay } from '../definitions/schemas/role-definition.ts'
import { whyNoSite } from './passkeys/relying-party.ts'
import { isReachable } from './tokens/accepted-credentials.ts'

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
