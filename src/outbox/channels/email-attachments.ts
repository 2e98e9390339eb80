/** The attachments of e-mails: inside the e-mail, or behind a link if they are too large. */
import type { Pool } from '../../database/pool.ts'
import {
  listAttachments,
  readAttachment,
  type StoredAttachment,
  setAudience,
} from '../attachments/attachment-store.ts'
import { AttachmentsAwaited } from '../delivery.ts'
import type { AttachmentLink, EmailAttachments } from '../email/compose-email.ts'
import type { Attachment } from '../email/email.ts'
import type { TakenDelivery } from '../sending/taken-delivery.ts'
import type { Signer } from '../signed-token.ts'

type Deps = {
  readonly pool: Pool
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
  readonly rows: readonly StoredAttachment[]
  readonly attached: readonly Attachment[]
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
    const { rows, attached } = await stored
    if (delivery.audience !== audience && !deps.isPreview)
      await setAudience(deps.pool, delivery.mailing_id, audience, [delivery.user_id])
    return carried(deps, delivery, rows, attached)
  }
}

const readStored = async (deps: Deps, mailingId: number, audience: string): Promise<Stored> => {
  const rows = await listAttachments(deps.pool, mailingId, audience)
  if (!rows) throw new AttachmentsAwaited(audience)
  const attached: Attachment[] = []
  if (bytesOf(rows) <= deps.maxBytes)
    for (const row of rows) {
      const attachment = await attachmentOf(deps, { mailingId, audience }, row)
      if (attachment) attached.push(attachment)
    }
  return { rows, attached }
}

const attachmentOf = async (
  { pool, isPreview }: Deps,
  place: { readonly mailingId: number; readonly audience: string },
  { position, filename, mimetype, size }: StoredAttachment,
): Promise<Attachment | undefined> => {
  if (size === null) return undefined
  if (isPreview) return { filename, mimetype: mimetype ?? '', data: new Uint8Array() }
  return readAttachment(pool, place, position)
}

const bytesOf = (rows: readonly StoredAttachment[]): number =>
  rows.reduce((sum, { size }) => sum + (size ?? 0), 0)

const carried = (
  deps: Deps,
  delivery: TakenDelivery,
  rows: readonly StoredAttachment[],
  attachments: readonly Attachment[],
): EmailAttachments => {
  const created = rows.filter(({ size }) => size !== null)
  const missing = rows.filter(({ size }) => size === null).map(({ filename }) => filename)
  const isTooLarge = bytesOf(rows) > deps.maxBytes
  const links = isTooLarge ? created.map((row) => linkTo(deps, delivery.id, row)) : []
  return { attachments, links, missing }
}

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
