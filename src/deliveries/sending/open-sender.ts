/** Builds what sends e-mails, from the configuration. */
import { audienceOf, wholeAudience } from '../../auth/audience.ts'
import type { Person } from '../../auth/caller.ts'
import type { SightDeps } from '../../auth/sight.ts'
import { emailTransportOf } from '../../config/email-transport.ts'
import type { Config } from '../../config/load-config.ts'
import { publicUrlOf } from '../../config/public-url.ts'
import type { Listener } from '../../database/listen.ts'
import type { Pool } from '../../database/pool.ts'
import { printFinding } from '../../definitions/source-file.ts'
import { composeEmail, type EmailMessage } from '../../email/compose-email.ts'
import { openProvider } from '../../email/providers/open-provider.ts'
import { templateChoiceOf } from '../../email/template-choice.ts'
import { loadTemplates, type TemplateLibrary } from '../../email/template-library.ts'
import { StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { createDocumentsOf } from '../attachments/email-attachments.ts'
import type { TakenDelivery } from '../delivery-store.ts'
import { mailFor } from '../event-data/event-sight.ts'
import { shownRecord } from '../event-data/printable-record.ts'
import { openSigner } from '../signed-token.ts'
import { type Sender, sendDeliveries } from './send-deliveries.ts'

type Options = SightDeps & {
  readonly config: Config
  readonly pool: Pool
  readonly listener: Listener
  readonly observe: Observe
  /** Whether a template that changes is used at the next e-mail. */
  readonly watch: boolean
}

/** Begins to send what is queued, by the provider of the configuration. */
export const openSender = async (options: Options): Promise<Sender> => {
  const { config, pool } = options
  const libraryOf = await openLibrary(options)
  const provider = await openProvider(emailTransportOf(config), {
    name: config.EMAIL_FROM_NAME,
    address: config.EMAIL_FROM,
    replyTo: config.EMAIL_REPLY_TO,
  })
  const signer = await openSigner(pool)
  const publicUrl = publicUrlOf(config)
  // Base64 makes four bytes of three, and the e-mail has a text too.
  const room = Math.floor((provider.maxBytes * 3) / 4) - 262_144
  const maxBytes = Math.min(config.ATTACHMENTS_MAX_BYTES, room)
  const deps = {
    ...templateChoiceOf(config),
    libraryOf,
    publicUrl,
    unsubscribeUrlOf: ({ user_id: user, entity_key: entity, operation }: EmailMessage) => {
      const token = signer.sign({ for: 'unsubscribe', user, entity, operation })
      return `${publicUrl}/api/notifications/unsubscribe?token=${token}`
    },
  }
  const documentsOf = createDocumentsOf({ pool, signer, publicUrl, maxBytes, ...sightOf(options) })
  return sendDeliveries({
    ...options,
    provider,
    compose: (delivery) =>
      composeEmail(
        { ...deps, attachmentsOf: () => documentsOf(delivery) },
        asRead(options, delivery),
      ),
    atOnce: config.EMAILS_AT_ONCE,
    maxTries: config.EMAIL_MAX_TRIES,
    maxPerSecond: config.EMAIL_MAX_PER_SECOND,
  })
}

const personOf = ({ user_id: userId, role_key: roleKey }: TakenDelivery): Person => ({
  userId,
  roleKey,
})

const sightOf = (deps: SightDeps) => ({
  audienceOf: (delivery: TakenDelivery) => {
    const entity = deps.catalog.entities.get(delivery.entity_key)
    const isWhole = !entity || delivery.data.sight?.shows_hidden === true
    return isWhole ? wholeAudience : audienceOf(deps, entity, personOf(delivery))
  },
})

/** The delivery with no more of the record than its recipient may read. */
const asRead = (deps: SightDeps, delivery: TakenDelivery): TakenDelivery => {
  const { entity_key: key } = delivery
  const data = mailFor(deps, personOf(delivery), key, delivery.data)
  const entity = deps.catalog.entities.get(key)
  const record = entity ? shownRecord(deps.catalog, entity, data.record) : data.record
  return { ...delivery, data: { ...data, record } }
}

/** Answers with the templates of the project: those of the start, or as they are now. */
const openLibrary = async ({
  catalog,
  config,
  watch,
}: Options): Promise<() => Promise<TemplateLibrary>> => {
  const { library, findings } = await loadTemplates(config.PROJECT, catalog.locale)
  if (findings.length > 0) throw new StartupError(findings.map(printFinding).join('\n'))
  if (!watch) return async () => library
  // A template that is being written holds up no e-mails but its own.
  return async () => (await loadTemplates(config.PROJECT, catalog.locale)).library
}
