/** For which site passkeys are made: the public address of the service alone, never the Host of a request. */
import { isIP } from 'node:net'
import { type Config, publicUrl } from '../../config/load-config.ts'

/** The site as browsers know it (Web Authentication, 5.4.2). */
export type RelyingParty = { readonly id: string; readonly origin: string }

/** The site of a service that listens on a port. Without PUBLIC_URL it is this machine, by the name that browsers accept. */
export const relyingPartyOf = (config: Config, port: number | undefined): RelyingParty => {
  const { hostname, origin } = new URL(
    publicUrl(config) ?? `http://localhost:${port ?? config.PORT}`,
  )
  return { id: hostname, origin }
}

/** Why a service with this address has no passkeys; undefined if it can have them. */
export const whyNoSite = (config: Config): string | undefined => {
  const { id } = relyingPartyOf(config, undefined)
  return isIP(id.replace(/^\[|\]$/g, '')) > 0
    ? 'Passkeys belong to a name, and PUBLIC_URL has the address of a machine.'
    : undefined
}
