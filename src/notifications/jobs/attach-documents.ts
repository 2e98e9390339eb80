/** The job that makes the attachments of a mailing: once for all who may read the same in them. */
import { audienceOf, wholeAudience } from '../../auth/audience.ts'
import type { Person } from '../../auth/caller.ts'
import { getEntity } from '../../definitions/catalog.ts'
import type { DocumentParts } from '../../documents/render-document.ts'
import {
  findMailing,
  keepDocuments,
  listRecipients,
  type MadeDocument,
  madeAudiences,
  noteAudience,
  releaseMailing,
  type WishingMailing,
} from '../../email/documents-store.ts'
import type { ProjectFunctions } from '../../functions/project-functions.ts'
import type { JobContext } from '../../jobs/job.ts'
import { type FailedDocument, type Making, makeDocuments } from './make-documents.ts'
import type { SendingParts } from './notify-users.ts'

export type AttachingParts = SendingParts & {
  readonly functions: ProjectFunctions
  readonly documents: DocumentParts
}

// A fault of one attachment is tried again so often; then the e-mails go without it.
const mostTries = 3

/** Lets the e-mails of each audience go when its documents are made; one that fails is tried again first. */
export const attachDocumentsOf = async (
  parts: AttachingParts,
  { mailing_id: id }: { readonly mailing_id: number },
  { attempt }: JobContext,
): Promise<void> => {
  const mailing = await findMailing(parts.pool, id)
  if (!mailing) return
  const making: Making = { ...parts, mailing, shared: new Map() }
  const done = await madeAudiences(parts.pool, id)
  let failed: FailedDocument | undefined
  for (const [name, { person, userIds }] of await audiencesOf(parts, mailing)) {
    if (name !== wholeAudience) await noteAudience(parts.pool, id, name, userIds)
    if (done.has(name)) continue
    const documents = await makeDocuments(making, name === wholeAudience ? undefined : person)
    const fault = documents.find((one): one is FailedDocument => 'fault' in one && !one.isFinal)
    if (fault && attempt < mostTries) failed ??= fault
    else await keep(parts, id, name, documents)
  }
  // The e-mails of the other audiences are on their way.
  if (failed) throw new Error(`${failed.name}: ${failed.fault}`)
  await releaseMailing(parts.pool, id)
}

const keep = async (
  { pool, observe }: AttachingParts,
  id: number,
  audience: string,
  documents: readonly MadeDocument[],
): Promise<void> => {
  for (const made of documents)
    if ('fault' in made)
      observe({ kind: 'attachmentFailed', mailing: id, name: made.name, fault: made.fault })
  await keepDocuments(pool, id, audience, documents)
}

type Audience = {
  /** One of them, who stands for all. */
  readonly person: Person
  readonly userIds: number[]
}

/** Who waits for an e-mail, by what they may read. */
const audiencesOf = async (
  parts: AttachingParts,
  { id, entity_key: key, shows_hidden: showsHidden }: WishingMailing,
): Promise<ReadonlyMap<string, Audience>> => {
  const entity = getEntity(parts.catalog, key)
  const audiences = new Map<string, Audience>()
  for (const person of await listRecipients(parts.pool, id)) {
    const name = showsHidden ? wholeAudience : audienceOf(parts, entity, person)
    const audience = audiences.get(name) ?? { person, userIds: [] }
    audience.userIds.push(person.userId)
    audiences.set(name, audience)
  }
  return audiences
}
