/** The job that creates the attachments of a mailing: once for all who may read the same in them. */
import { audienceOf, wholeAudience } from '../auth/audience.ts'
import type { Person } from '../auth/caller.ts'
import { getEntity } from '../definitions/catalog.ts'
import type { DocumentDeps } from '../documents/render-document.ts'
import type { ProjectFunctions } from '../functions/project-functions.ts'
import type { JobContext } from '../jobs/job.ts'
import {
  type CreatedAttachment,
  findMailing,
  finishedAudiences,
  listRecipients,
  type Mailing,
  releaseMailing,
  setAudience,
  storeAttachments,
} from '../outbox/attachments/attachment-store.ts'
import type { attachDocuments } from '../outbox/delivery.ts'
import { type Creation, createAttachments, type FailedAttachment } from './create-attachments.ts'
import type { SendingDeps } from './notify-users.ts'

export type AttachingDeps = SendingDeps & {
  readonly functions: ProjectFunctions
  readonly documents: DocumentDeps
}

// The number of attempts for an attachment that fails; then the deliveries are sent without it.
const maxTries = 3

/**
 * Releases the deliveries of each audience when its attachments are created; one that fails is retried
 * first.
 */
export const attachDocumentsOf = async (
  deps: AttachingDeps,
  { mailing_id: id }: NonNullable<typeof attachDocuments.payload>,
  { attempt }: JobContext,
): Promise<void> => {
  const { pool } = deps
  const mailing = await findMailing(pool, id)
  if (!mailing) return
  const creation: Creation = { ...deps, mailing, shared: new Map() }
  const finished = await finishedAudiences(pool, id)
  let failed: FailedAttachment | undefined
  for (const [name, { person, userIds }] of await audiencesOf(deps, mailing)) {
    if (name !== wholeAudience) await setAudience(pool, id, name, userIds)
    if (finished.has(name)) continue
    const created = await createAttachments(creation, name === wholeAudience ? undefined : person)
    const failure = created.find((one): one is FailedAttachment => 'fault' in one && !one.isFinal)
    if (failure && attempt < maxTries) failed ??= failure
    else await store(deps, id, name, created)
  }
  // The deliveries of the other audiences are released already.
  if (failed) throw new Error(`${failed.name}: ${failed.fault}`)
  await releaseMailing(pool, id)
}

const store = async (
  { pool, observe }: AttachingDeps,
  id: number,
  audience: string,
  attachments: readonly CreatedAttachment[],
): Promise<void> => {
  for (const one of attachments)
    if ('fault' in one)
      observe({ kind: 'attachmentFailed', mailing: id, name: one.name, fault: one.fault })
  await storeAttachments(pool, id, audience, attachments)
}

type Audience = {
  /** One of them, as an example for all. */
  readonly person: Person
  readonly userIds: number[]
}

/** The recipients who wait for the mailing, by audience. */
const audiencesOf = async (
  deps: AttachingDeps,
  { id, entity_key: key, shows_hidden: showsHidden }: Mailing,
): Promise<ReadonlyMap<string, Audience>> => {
  const entity = getEntity(deps.catalog, key)
  const audiences = new Map<string, Audience>()
  for (const person of await listRecipients(deps.pool, id)) {
    const name = showsHidden ? wholeAudience : audienceOf(deps, entity, person)
    const audience = audiences.get(name) ?? { person, userIds: [] }
    audience.userIds.push(person.userId)
    audiences.set(name, audience)
  }
  return audiences
}
