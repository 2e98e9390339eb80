/** Builds what sends e-mails, from the configuration. */
import type { Config } from '../config/load-config.ts'
import type { Pool } from '../database/pool.ts'
import { printFinding } from '../definitions/source-file.ts'
import { StartFault } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { composeEmail } from './compose-email.ts'
import type { TakenDelivery } from './delivery-store.ts'
import { createDocumentsOf } from './mailing-documents.ts'
import { openProvider } from './providers/open-provider.ts'
import { type Sender, sendDeliveries } from './send-deliveries.ts'
import { openSigner } from './signed-token.ts'
import { loadTemplates } from './template-library.ts'

type Options = {
  readonly config: Config
  readonly pool: Pool
  readonly connectionString: string
  readonly observe: Observe
}

/** Begins to send what is queued, by the provider of the configuration. */
export const openSender = async (options: Options): Promise<Sender> => {
  const { config, pool } = options
  const { library, findings } = await loadTemplates(config.PROJECT)
  if (findings.length > 0) throw new StartFault(findings.map(printFinding).join('\n'))
  const provider = await openProvider(config)
  const signer = await openSigner(pool)
  const publicUrl = publicUrlOf(config)
  // Base64 makes four bytes of three, and the e-mail has a text too.
  const room = Math.floor((provider.maxBytes * 3) / 4) - 262_144
  const maxBytes = Math.min(config.ATTACHMENTS_MAX_BYTES, room)
  const parts = {
    provider,
    library,
    defaultTemplateId:
      config[`WORKFLOW_NOTIFICATION_${upper(config.EMAIL_PROVIDER)}_DEFAULT_TEMPLATE_ID`],
    publicUrl,
    documentsOf: createDocumentsOf({ pool, signer, publicUrl, maxBytes }),
    unsubscribeUrlOf: ({ user_id: user, entity_key: entity, operation }: TakenDelivery) => {
      const token = signer.sign({ for: 'unsubscribe', user, entity, operation })
      return `${publicUrl}/api/notifications/unsubscribe?token=${token}`
    },
  }
  return sendDeliveries({
    ...options,
    provider,
    compose: (delivery) => composeEmail(parts, delivery),
    atOnce: config.EMAILS_AT_ONCE,
    maxTries: config.EMAIL_MAX_TRIES,
    maxPerSecond: config.EMAIL_MAX_PER_SECOND,
  })
}

const upper = (name: Config['EMAIL_PROVIDER']) => name.toUpperCase() as Uppercase<typeof name>

/** The address of the service as people reach it, without a slash at its end. */
const publicUrlOf = ({ PUBLIC_URL, HOST, PORT, BASE_PATH }: Config): string =>
  (PUBLIC_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}${BASE_PATH}`).replace(
    /\/+$/,
    '',
  )
