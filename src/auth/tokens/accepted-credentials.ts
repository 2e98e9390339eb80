/** Which tokens a service accepts besides API keys: those of an issuer, of the development issuer, or none. */
import type { Config } from '../../config/load-config.ts'
import { isLoopback } from './development-issuer.ts'

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
export const isReachable = ({ HOST, PUBLIC_URL }: Pick<Config, 'HOST' | 'PUBLIC_URL'>): boolean =>
  !isLoopback(HOST) || (PUBLIC_URL !== undefined && !isOwnName(new URL(PUBLIC_URL).hostname))

const isOwnName = (hostname: string): boolean =>
  isLoopback(hostname.replace(/^\[|\]$/g, '')) || hostname.endsWith('.localhost')

/**
 * The host names of a service with the development issuer: those of this machine. A page of another site could resolve its own
 * name to the address of this machine (DNS rebinding).
 */
export const hostCheckOf = (config: Config): ((hostname: string) => boolean) | undefined =>
  acceptedCredentials(config) === 'development' ? isOwnName : undefined
