/** The attachments of e-mails: inside the e-mail as long as there is room, or behind a link. */
import { buffer } from 'node:stream/consumers'
import { type BlobStore, MissingBlob } from '../../blobs/blob-store.ts'
import type { Pool } from '../../database/pool.ts'
import {
  listAttachments,
  openAttachment,
  type StoredAttachment,
  setAudience,
} from '../attachments/attachment-store.ts'
import { AttachmentsAwaited } from '../delivery.ts'
import { DeliveryError } from '../delivery-error.ts'
import type { AttachmentLink, EmailAttachments } from '../email/compose-email.ts'
import type { Attachment } from '../email/email.ts'
import type { TakenDelivery } from '../sending/taken-delivery.ts'
import type { Signer } from '../signed-token.ts'

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
