/** Which tokens a service accepts besides API keys: those of an issuer, of the development issuer, or none. */
import type { Config } from '../../config/load-config.ts'
import { isLoopback } from './development-issuer.ts'

/**
 * `issuer`: tokens of AUTH_ISSUER. `development`: tokens that the project signs itself, which is safe only
 * while no other machine can reach the service. `keys`: only API keys.
 */
export type AcceptedCredentials = 'issuer' | 'development' | 'keys'

/** Depends only on the settings. */
export const acceptedCredentials = ({ AUTH_ISSUER, HOST }: Config): AcceptedCredentials => {
  if (AUTH_ISSUER !== undefined) return 'issuer'
  return isLoopback(HOST) ? 'development' : 'keys'
}

/**
 * The host names of a service with the development issuer: those of this machine, and that of PUBLIC_URL. A
 * page of another site could resolve its own name to the address of this machine (DNS rebinding).
 */
export const hostCheckOf = (config: Config): ((hostname: string) => boolean) | undefined => {
  if (acceptedCredentials(config) !== 'development') return undefined
  const own = config.PUBLIC_URL === undefined ? undefined : new URL(config.PUBLIC_URL).hostname
  return (hostname) => isLoopback(hostname) || hostname.endsWith('.localhost') || hostname === own
}
