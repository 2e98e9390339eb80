/** Reads where each webhook goes, and what it is signed with. */
import { StartupError } from '../errors.ts'
import type { Config } from './load-config.ts'

export type WebhookTarget = {
  readonly url: URL
  readonly secret: Uint8Array
  /** Whether it may go to an address that is not public. */
  readonly allowsPrivate: boolean
}

/** The targets by name; throws a StartupError that names every setting that does not fit. */
export const webhookTargetsOf = (config: Config): ReadonlyMap<string, WebhookTarget> => {
  const { WEBHOOK_URLS: urls = new Map(), WEBHOOK_SECRETS: secrets = new Map() } = config
  const allowsPrivate = config.WEBHOOK_PRIVATE_ADDRESSES === 'true'
  const errors: string[] = []
  const targets = new Map<string, WebhookTarget>()
  for (const [name, address] of urls) {
    const url = new URL(address)
    const secret = secrets.get(name)
    if (secret === undefined) errors.push(`WEBHOOK_SECRETS lacks "${name}" of WEBHOOK_URLS`)
    else if (url.protocol !== 'https:' && !allowsPrivate)
      errors.push(`WEBHOOK_URLS must begin with https:// in "${name}"`)
    else
      targets.set(name, {
        url,
        allowsPrivate,
        secret: Buffer.from(secret.slice('whsec_'.length), 'base64'),
      })
  }
  for (const name of secrets.keys())
    if (!urls.has(name)) errors.push(`WEBHOOK_URLS lacks "${name}" of WEBHOOK_SECRETS`)
  if (errors.length > 0)
    throw new StartupError(`The environment has errors:\n  ${errors.join('\n  ')}`)
  return targets
}
