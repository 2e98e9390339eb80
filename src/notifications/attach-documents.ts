/** The job that makes the attachments of a mailing, once for all its e-mails. */
import { getEntity } from '../definitions/catalog.ts'
import type { TakenAction } from '../definitions/notification-matching.ts'
import { type DocumentParts, renderDocument } from '../documents/render-document.ts'
import {
  findWaiting,
  keepDocuments,
  type MadeDocument,
  type WaitingMailing,
} from '../email/documents-store.ts'
import { errorText } from '../errors.ts'
import type { FunctionSubject } from '../functions/function-context.ts'
import type { ProjectFunctions } from '../functions/project-functions.ts'
import type { JobContext } from '../jobs/job.ts'
import { readSubject } from './function-subject.ts'
import type { SendingParts } from './tell-people.ts'

export type AttachingParts = SendingParts & {
  readonly functions: ProjectFunctions
  readonly documents: DocumentParts
}

// A fault of one attachment is tried again so often; then the e-mails go without it.
const mostTries = 3

/** Makes every document, then lets the e-mails go; an attachment that fails is tried again first. */
export const attachDocumentsOf = async (
  parts: AttachingParts,
  { mailing_id: id }: { readonly mailing_id: number },
  { attempt }: JobContext,
): Promise<void> => {
  const mailing = await findWaiting(parts.pool, id)
  if (!mailing) return
  const documents = await makeAll(parts, mailing)
  const fault = documents.find((made) => 'fault' in made)
  if (fault && attempt < mostTries) throw new Error(`${fault.name}: ${fault.fault}`)
  for (const made of documents)
    if ('fault' in made) parts.observe({ kind: 'attachmentFailed', mailing: id, ...made })
  await keepDocuments(parts.pool, id, documents)
}

/** PDFs by their codes, then what functions make, in the order of the entry. */
const makeAll = async (
  parts: AttachingParts,
  mailing: WaitingMailing,
): Promise<readonly MadeDocument[]> => {
  const { entity_key: entityKey, entity_id: entityId, actor_id: actorId, wished } = mailing
  const { operation, comment } = mailing
  const made: MadeDocument[] = []
  for (const code of wished.printableDocuments)
    made.push(...(await attempt(code, () => makePdf(parts, code, mailing))))
  if (wished.documentFunctions.length === 0) return made
  const action = 'key' in mailing.action ? (mailing.action as TakenAction) : null
  const occasion = { entityKey, entityId, actorId, operation, action, comment }
  let subject: Promise<FunctionSubject> | undefined
  for (const name of wished.documentFunctions)
    made.push(
      ...(await attempt(name, async () => {
        subject ??= readSubject(parts, occasion)
        const documents = await parts.functions.makeDocuments(name, await subject)
        return documents.map((attachment) => ({ attachment }))
      })),
    )
  return made
}

const makePdf = async (
  { catalog, documents }: AttachingParts,
  code: string,
  { entity_key: entityKey, entity_id: id, actor_id: actorId }: WaitingMailing,
): Promise<MadeDocument[]> => {
  const entity = getEntity(catalog, entityKey)
  const { pdf, filename } = await renderDocument(documents, { code, entity, id, actorId })
  return [{ attachment: { filename, mimetype: 'application/pdf', data: pdf } }]
}

/** One that fails leaves its name, so that the e-mail can say what is missing. */
const attempt = async (
  name: string,
  make: () => Promise<readonly MadeDocument[]>,
): Promise<readonly MadeDocument[]> => {
  try {
    return await make()
  } catch (error) {
    const [fault = ''] = errorText(error).split(/[\r\n]/)
    return [{ name, fault: fault.replaceAll('\0', '').slice(0, 1000) }]
  }
}
