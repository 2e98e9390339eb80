/** Composes the e-mail of a delivery with the templates of the project, for one recipient. */
import { audienceOf, wholeAudience } from '../../auth/audience.ts'
import type { VisibilityDeps } from '../../auth/readable-records.ts'
import { mayReadRecord } from '../../auth/readable-values.ts'
import { templateChoiceOf } from '../../config/email-transport.ts'
import { publicUrlOf } from '../../config/load-config.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { printFinding } from '../../definitions/source-file.ts'
import { StartupError } from '../../errors.ts'
import { readingOf } from '../../users/user-readings.ts'
import { audienceReading } from '../attachments/attachment-store.ts'
import type { ChannelOptions } from '../channel.ts'
import { composeDigest, isDigest } from '../digests/compose-digest.ts'
import { composeEmail, type EmailMessage } from '../email/compose-email.ts'
import type { Email, EmailProvider } from '../email/email.ts'
import { type LibraryOf, loadTemplates } from '../email/template-library.ts'
import { type EventReader, replyToFor } from '../events/notification-event.ts'
import type { TakenDelivery } from '../sending/taken-delivery.ts'
import { openSigner } from '../signed-token.ts'
import { createAttachmentsOf } from './email-attachments.ts'
import { type Readable, readableData, readerFor } from './readable-data.ts'

const maxPreviewHtml = 1_048_576

/** Returns what composes the e-mail of a delivery, which shows only what its recipient may read. */
export const openComposer = async (
  options: ChannelOptions,
  { maxBytes: limit }: EmailProvider,
  libraryOf: LibraryOf,
  isPreview = false,
): Promise<(delivery: TakenDelivery) => Promise<Email>> => {
  const { config, pool, catalog } = options
  const signer = await openSigner(pool)
  const publicUrl = publicUrlOf(config)
  // Base64 needs four bytes for three, and the e-mail has a text too.
  const room = Math.floor((limit * 3) / 4) - 262_144
  const maxBytes = Math.min(config.ATTACHMENTS_MAX_BYTES, room)
  const attachmentsOf = createAttachmentsOf({
    pool,
    blobs: options.blobs,
    signer,
    publicUrl,
    maxBytes,
    isPreview,
  })
  const unsubscribeUrlOf = ({ user_id: user, entity_key: entity, operation }: EmailMessage) => {
    const token = signer.sign({ for: 'unsubscribe', user, entity, operation })
    return `${publicUrl}/api/notifications/unsubscribe?token=${token}`
  }
  const maxHtml = isPreview ? maxPreviewHtml : undefined
  const deps = {
    ...templateChoiceOf(config),
    libraryOf,
    publicUrl,
    unsubscribeUrlOf,
    maxHtml,
    replyTo: config.EMAIL_REPLY_TO,
  }
  return async (delivery) => {
    if (isDigest(delivery))
      return composeDigest(options, { libraryOf, signer, isPreview }, delivery)
    const entity = catalog.entities.get(delivery.entity_key)
    const reader = await readerFor(options, delivery, entity)
    const ofReader = readingOf(options, delivery)
    const { catalog: inLanguage, timeZone } = ofReader
    const sight = audienceFor(options, delivery, entity, reader)
    const audience = delivery.has_printed ? audienceReading(sight, options, ofReader) : sight
    const reading = { locale: inLanguage.locale, timeZone }
    return composeEmail(
      { ...deps, reading, attachmentsOf: () => attachmentsOf(delivery, audience) },
      messageFor(options, delivery, { entity, reader, catalog: inLanguage }),
    )
  }
}

const audienceFor = (
  deps: VisibilityDeps,
  { data }: TakenDelivery,
  entity: Entity | undefined,
  reader: EventReader,
): string => {
  if (!entity || data.sight?.shows_hidden === true) return wholeAudience
  return audienceOf(deps, entity, reader, mayReadRecord(deps, reader, entity, reader.reach.record))
}

const messageFor = (
  deps: VisibilityDeps,
  delivery: TakenDelivery,
  readable: Readable,
): EmailMessage => ({
  ...delivery,
  reply_to: replyToFor(deps, readable.reader, readable.entity, delivery.data),
  data: readableData(deps, delivery, readable),
})

/** Returns the templates of the project: those of the start, or the current ones. */
export const openLibrary = async ({
  catalog,
  config,
  watch,
}: ChannelOptions): Promise<LibraryOf> => {
  const { library, findings } = await loadTemplates(config.PROJECT, catalog.locale)
  if (findings.length > 0) throw new StartupError(findings.map(printFinding).join('\n'))
  if (!watch) return async () => library
  // A template that is being edited delays only its own e-mails.
  return async () => (await loadTemplates(config.PROJECT, catalog.locale)).library
}
