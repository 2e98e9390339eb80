/** Which tokens a service takes beside API keys: those of an issuer, of the development issuer, or none. */
import type { Config } from '../../config/load-config.ts'
import { isLoopback } from './development-issuer.ts'

/**
 * `issuer`: tokens of AUTH_ISSUER. `development`: tokens that the project signs itself, which is only safe
 * while nobody else can reach the service. `keys`: API keys alone.
 */
export type AcceptedCredentials = 'issuer' | 'development' | 'keys'

/** Decided by the settings alone. */
export const acceptedCredentials = ({ AUTH_ISSUER, HOST }: Config): AcceptedCredentials => {
  if (AUTH_ISSUER !== undefined) return 'issuer'
  return isLoopback(HOST) ? 'development' : 'keys'
}

/**
 * Names under which a service with the development issuer answers: those of this machine, and that of
 * PUBLIC_URL. A page of another site could give its own name the address of this machine.
 */
export const hostCheckOf = (config: Config): ((hostname: string) => boolean) | undefined => {
  if (acceptedCredentials(config) !== 'development') return undefined
  const own = config.PUBLIC_URL === undefined ? undefined : new URL(config.PUBLIC_URL).hostname
  return (hostname) => isLoopback(hostname) || hostname.endsWith('.localhost') || hostname === own
}
