/** The documents of a mailing as its e-mails carry them: attached, or behind a link when too large. */
import type { Pool } from '../database/pool.ts'
import type { AttachmentLink, MailingDocuments } from './compose-email.ts'
import { listDocuments, readDocument } from './documents-store.ts'
import type { Attachment } from './email.ts'
import type { Signer } from './signed-token.ts'

type Parts = {
  readonly pool: Pool
  readonly signer: Signer
  /** Address that links begin with. */
  readonly publicUrl: string
  /** Attachments of one e-mail together. */
  readonly maxBytes: number
}

const linkDays = 30
const dayMs = 86_400_000

/** Reads them once for all e-mails of a mailing that are sent one after the other. */
export const createDocumentsOf = (
  parts: Parts,
): ((mailingId: number) => Promise<MailingDocuments>) => {
  let last:
    | { readonly mailingId: number; readonly documents: Promise<MailingDocuments> }
    | undefined
  return (mailingId) => {
    if (last?.mailingId !== mailingId)
      last = { mailingId, documents: readDocuments(parts, mailingId) }
    const { documents } = last
    // What failed is read again by the next e-mail.
    documents.catch(() => {
      last = undefined
    })
    return documents
  }
}

const readDocuments = async (parts: Parts, mailingId: number): Promise<MailingDocuments> => {
  const kept = await listDocuments(parts.pool, mailingId)
  const made = kept.filter(({ fault }) => fault === null)
  const missing = kept.filter(({ fault }) => fault !== null).map(({ filename }) => filename)
  const bytes = made.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (bytes > parts.maxBytes) {
    const links = made.map(({ position, filename }) =>
      linkTo(parts, mailingId, { position, filename }),
    )
    return { attachments: [], links, missing }
  }
  const attachments: Attachment[] = []
  for (const { position } of made) {
    const document = await readDocument(parts.pool, mailingId, position)
    if (document) attachments.push(document)
  }
  return { attachments, links: [], missing }
}

const linkTo = (
  { signer, publicUrl }: Parts,
  mailing: number,
  { position, filename }: { readonly position: number; readonly filename: string },
): AttachmentLink => {
  const until = new Date(Date.now() + linkDays * dayMs)
  const token = signer.sign({ for: 'attachment', mailing, position, until: until.toISOString() })
  return {
    filename,
    url: `${publicUrl}/api/attachments?token=${token}`,
    until: until.toISOString().slice(0, 10),
  }
}
