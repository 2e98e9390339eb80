/** Composes the e-mail of a delivery with the templates of the project, for one recipient. */
import { buffer } from 'node:stream/consumers'
import { audienceOf, wholeAudience } from '../../auth/audience.ts'
import type { VisibilityDeps } from '../../auth/readable-records.ts'
import { mayReadRecord } from '../../auth/readable-values.ts'
import { type BlobStore, MissingBlob } from '../../blobs/blob-store.ts'
import { templateChoiceOf } from '../../config/email-transport.ts'
import { publicUrlOf } from '../../config/load-config.ts'
import type { Pool } from '../../database/pool.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { printFinding } from '../../definitions/source-file.ts'
import { StartupError } from '../../errors.ts'
import { readingOf } from '../../users/user-readings.ts'
import {
  audienceReading,
  listAttachments,
  openAttachment,
  type StoredAttachment,
  setAudience,
} from '../attachments/attachment-store.ts'
import type { ChannelOptions } from '../channel.ts'
import type { TakenDelivery } from '../delivery.ts'
import { AttachmentsAwaited, DeliveryError } from '../delivery.ts'
import { composeDigest, isDigest } from '../digests.ts'
import {
  type AttachmentLink,
  composeEmail,
  type EmailAttachments,
  type EmailMessage,
} from '../email/compose-email.ts'
import type { Attachment, Email, EmailProvider } from '../email/email.ts'
import { type LibraryOf, loadTemplates } from '../email/template-library.ts'
import { type EventReader, replyToFor } from '../events/notification-event.ts'
import { openSigner, type Signer } from '../signed-token.ts'
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

type Deps = {
  readonly pool: Pool
  /** Where the bytes of files are. */
  readonly blobs: BlobStore
  readonly signer: Signer
  /** The address with which links begin. */
  readonly publicUrl: string
  /** Maximum size of all attachments of one e-mail. */
  readonly maxBytes: number
  /** Only their names are needed, and nothing may be changed. */
  readonly isPreview?: boolean
}

const linkDays = 30
const dayMs = 86_400_000

type Stored = {
  readonly attached: readonly Attachment[]
  /** For which there was no room. */
  readonly linked: readonly StoredAttachment[]
  /** Names of those that could not be created. */
  readonly missing: readonly string[]
}

const nothing: EmailAttachments = { attachments: [], links: [], missing: [] }

/** Reads them once for all e-mails to an audience that are sent one after the other. */
export const createAttachmentsOf = (
  deps: Deps,
): ((delivery: TakenDelivery, audience: string) => Promise<EmailAttachments>) => {
  let last: { readonly key: string; readonly stored: Promise<Stored> } | undefined
  return async (delivery, audience) => {
    if (!delivery.has_documents) return nothing
    const key = `${delivery.mailing_id} ${audience}`
    if (last?.key !== key) last = { key, stored: readStored(deps, delivery.mailing_id, audience) }
    const { stored } = last
    // After an error, the next e-mail reads again.
    stored.catch(() => {
      if (last?.stored === stored) last = undefined
    })
    const { attached: attachments, linked, missing } = await stored
    if (delivery.audience !== audience && !deps.isPreview)
      await setAudience(deps.pool, delivery.mailing_id, audience, [delivery.user_id])
    return { attachments, links: linked.map((row) => linkTo(deps, delivery.id, row)), missing }
  }
}

const readStored = async (deps: Deps, mailingId: number, audience: string): Promise<Stored> => {
  const rows = await listAttachments(deps.pool, mailingId, audience)
  if (!rows) throw new AttachmentsAwaited(audience)
  const attached: Attachment[] = []
  const linked: StoredAttachment[] = []
  let room = deps.maxBytes
  for (const row of rows) {
    if (row.size === null) continue
    if (row.size > room) linked.push(row)
    else {
      room -= row.size
      const attachment = await attachmentOf(deps, { mailingId, audience }, row)
      if (attachment) attached.push(attachment)
    }
  }
  const missing = rows.filter(({ size }) => size === null).map(({ filename }) => filename)
  return { attached, linked, missing }
}

const attachmentOf = async (
  deps: Deps,
  place: { readonly mailingId: number; readonly audience: string },
  { position, filename, mimetype }: StoredAttachment,
): Promise<Attachment | undefined> => {
  if (deps.isPreview) return { filename, mimetype: mimetype ?? '', data: new Uint8Array() }
  try {
    const opened = await openAttachment(deps, place, position)
    if (!opened) return undefined
    const { content } = opened
    const data = Buffer.isBuffer(content) ? content : await buffer(content)
    return { filename: opened.filename, mimetype: opened.mimetype, data }
  } catch (error) {
    throw error instanceof MissingBlob ? withoutBytes(filename, error) : error
  }
}

/** Tried again, because a folder may not be mounted, and dead at last: the e-mail would say too little without it. */
const withoutBytes = (filename: string, { message }: MissingBlob): DeliveryError =>
  new DeliveryError(
    `The bytes of its attachment ${JSON.stringify(filename)} cannot be read: ${message} Restore them, and retry the delivery; docket files --check lists all that is missing.`,
    { retryable: true },
  )

/** The link names the delivery: if the recipient may no longer have that, the link is invalid too. */
const linkTo = (
  { signer, publicUrl }: Deps,
  delivery: number,
  { position, filename }: StoredAttachment,
): AttachmentLink => {
  const until = new Date(Date.now() + linkDays * dayMs)
  const token = signer.sign({ for: 'attachment', delivery, position, until: until.toISOString() })
  return {
    filename,
    url: `${publicUrl}/api/attachments?token=${token}`,
    until: until.toISOString().slice(0, 10),
  }
}
