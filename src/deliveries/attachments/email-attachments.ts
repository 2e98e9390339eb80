/** The documents of a mailing as its e-mails carry them: attached, or behind a link when too large. */
import type { Pool } from '../../database/pool.ts'
import type { AttachmentLink, EmailAttachments } from '../../email/compose-email.ts'
import type { Attachment } from '../../email/email.ts'
import type { TakenDelivery } from '../delivery-store.ts'
import type { Signer } from '../signed-token.ts'
import { type KeptDocument, listDocuments, noteAudience, readDocument } from './attachment-store.ts'

type Deps = {
  readonly pool: Pool
  readonly signer: Signer
  /** Address that links begin with. */
  readonly publicUrl: string
  /** Attachments of one e-mail together. */
  readonly maxBytes: number
  /** Who reads the same in the documents as the recipient. */
  readonly audienceOf: (delivery: TakenDelivery) => string
}

const linkDays = 30
const dayMs = 86_400_000

/** The documents of a delivery are not made yet for the audience of its recipient. */
export class DocumentsAwaited extends Error {
  override name = 'DocumentsAwaited'
  readonly audience: string

  constructor(audience: string) {
    super('The documents of this e-mail are not made yet.')
    this.audience = audience
  }
}

type Kept = {
  readonly documents: readonly KeptDocument[]
  readonly attached: readonly Attachment[]
}

const nothing: EmailAttachments = { attachments: [], links: [], missing: [] }

/** Reads them once for all e-mails to an audience that are sent one after the other. */
export const createDocumentsOf = (
  deps: Deps,
): ((delivery: TakenDelivery) => Promise<EmailAttachments>) => {
  let last: { readonly key: string; readonly kept: Promise<Kept> } | undefined
  return async (delivery) => {
    if (!delivery.has_documents) return nothing
    const audience = deps.audienceOf(delivery)
    const key = `${delivery.mailing_id} ${audience}`
    if (last?.key !== key) last = { key, kept: readKept(deps, delivery.mailing_id, audience) }
    const { kept } = last
    // What failed is read again by the next e-mail.
    kept.catch(() => {
      if (last?.kept === kept) last = undefined
    })
    const { documents, attached } = await kept
    if (delivery.audience !== audience)
      await noteAudience(deps.pool, delivery.mailing_id, audience, [delivery.user_id])
    return carried(deps, delivery, documents, attached)
  }
}

const readKept = async (deps: Deps, mailingId: number, audience: string): Promise<Kept> => {
  const documents = await listDocuments(deps.pool, mailingId, audience)
  if (!documents) throw new DocumentsAwaited(audience)
  const attached: Attachment[] = []
  if (bytesOf(documents) <= deps.maxBytes)
    for (const { position, fault } of documents) {
      const place = { mailingId, audience }
      const document = fault === null && (await readDocument(deps.pool, place, position))
      if (document) attached.push(document)
    }
  return { documents, attached }
}

const bytesOf = (documents: readonly KeptDocument[]): number =>
  documents.reduce((sum, { size }) => sum + (size ?? 0), 0)

const carried = (
  deps: Deps,
  delivery: TakenDelivery,
  documents: readonly KeptDocument[],
  attachments: readonly Attachment[],
): EmailAttachments => {
  const made = documents.filter(({ fault }) => fault === null)
  const missing = documents.filter(({ fault }) => fault !== null).map(({ filename }) => filename)
  const isTooLarge = bytesOf(documents) > deps.maxBytes
  const links = isTooLarge ? made.map((document) => linkTo(deps, delivery.id, document)) : []
  return { attachments, links, missing }
}

/** It names the delivery: whoever may not have that any more has no document either. */
const linkTo = (
  { signer, publicUrl }: Deps,
  delivery: number,
  { position, filename }: KeptDocument,
): AttachmentLink => {
  const until = new Date(Date.now() + linkDays * dayMs)
  const token = signer.sign({ for: 'attachment', delivery, position, until: until.toISOString() })
  return {
    filename,
    url: `${publicUrl}/api/attachments?token=${token}`,
    until: until.toISOString().slice(0, 10),
  }
}
