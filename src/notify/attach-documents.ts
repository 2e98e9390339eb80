/** The job that creates the attachments of a mailing: once for all who may read the same in them. */
import { audienceOf, wholeAudience } from '../auth/audience.ts'
import type { Person } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import type { ShownFile } from '../definitions/field-types/files.ts'
import { fileColumns } from '../definitions/files.ts'
import {
  type DocumentDeps,
  type DocumentReader,
  renderDocument,
} from '../documents/render-document.ts'
import { RenderError } from '../documents/typst/engine.ts'
import { ApiError, errorText } from '../errors.ts'
import type { FunctionAction, FunctionDocument } from '../functions/function-context.ts'
import { nativeFunctions } from '../functions/native-functions.ts'
import type { ProjectFunctions } from '../functions/project-functions.ts'
import type { JobContext } from '../jobs/job.ts'
import {
  audienceReading,
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
import { fullAccess } from '../query/access.ts'
import { readRecord } from '../records/read-records.ts'
import { readingOf, type UserReading } from '../users/user-readings.ts'
import { createFunctionServices, readSubject } from './function-calls.ts'
import type { SendingDeps } from './send-notifications.ts'

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
  for (const [name, audience] of await audiencesOf(deps, mailing)) {
    if (name !== wholeAudience) await setAudience(pool, id, name, audience.userIds)
    if (finished.has(name)) continue
    const created = await createAttachments(creation, audience)
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
  /** One of them, as an example for all; undefined if they may read everything. */
  readonly person: Person | undefined
  /** The language and the zone of their PDFs. */
  readonly reading: UserReading
  readonly userIds: number[]
}

/** The recipients who wait for the mailing, by audience. */
const audiencesOf = async (
  deps: AttachingDeps,
  { id, entity_key: key, entity_id: entityId, shows_hidden: showsHidden, requested }: Mailing,
): Promise<ReadonlyMap<string, Audience>> => {
  const entity = getEntity(deps.catalog, key)
  const hasPrinted = requested.printableDocuments.length > 0
  const audiences = new Map<string, Audience>()
  for (const one of await listRecipients(deps.pool, deps, { id, entity, entityId })) {
    const sight = showsHidden ? wholeAudience : audienceOf(deps, entity, one, one.mayRead)
    const reading = hasPrinted ? readingOf(deps, one) : deps
    const name = audienceReading(sight, deps, reading)
    const person = sight === wholeAudience ? undefined : one
    const audience = audiences.get(name) ?? { person, reading, userIds: [] }
    audience.userIds.push(one.userId)
    audiences.set(name, audience)
  }
  return audiences
}

/** A document that could not be created; `isFinal` if another attempt would not change that. */
type FailedAttachment = {
  readonly name: string
  readonly fault: string
  readonly isFinal: boolean
}

type Outcome = Exclude<CreatedAttachment, { readonly fault: string }> | FailedAttachment

type Creation = {
  readonly permissions: Permissions
  readonly functions: ProjectFunctions
  readonly documents: DocumentDeps
  readonly mailing: Mailing
  /** Documents of the project's functions for the first audience. */
  readonly shared: Map<string, Promise<readonly FunctionDocument[]>>
}

/**
 * PDFs by their codes, then the documents of functions, then files of the record, in the order of the rule; without
 * a reader everything is visible.
 */
const createAttachments = async (
  creation: Creation,
  { person, reading }: Audience,
): Promise<readonly Outcome[]> => {
  const { mailing, permissions, documents } = creation
  const entity = getEntity(documents.catalog, mailing.entity_key)
  const reader: DocumentReader | undefined = person && {
    access: permissions.accessOf(person),
    scope: permissions.scopeOf(person, 'read', entity),
    // One document for all who may read the same: of the actor it has what all of them may see.
    userId: undefined,
  }
  const { printableDocuments, documentFunctions, files: fields = [] } = mailing.requested
  const made: Outcome[] = []
  for (const code of printableDocuments)
    made.push(
      ...(await attempt(code, reader, () =>
        makePdf({ ...creation, documents: inReading(documents, reading) }, code, reader),
      )),
    )
  for (const name of documentFunctions)
    made.push(
      ...(await attempt(name, reader, async () =>
        (await callFunction(creation, name, reader)).map((attachment) => ({ attachment })),
      )),
    )
  made.push(...(await findFiles(documents, { entity, id: mailing.entity_id, fields, reader })))
  return made
}

/** Documents as those read them who get them. */
const inReading = (documents: DocumentDeps, { catalog, timeZone }: UserReading): DocumentDeps => ({
  ...documents,
  catalog,
  timeZone,
  locale: catalog.locale ?? documents.locale,
})

/** A document with boxes in place of letters is sent all the same; `doubt` says which letters no font has. */
const makePdf = async (
  { documents, mailing }: Creation,
  code: string,
  reader: DocumentReader | undefined,
): Promise<Outcome[]> => {
  const entity = getEntity(documents.catalog, mailing.entity_key)
  const { entity_id: id, actor_id: actorId } = mailing
  const request = { code, entity, id, actorId, ...(reader && { reader }) }
  const { pdf, filename, unprinted } = await renderDocument(documents, request)
  const doubt =
    unprinted.length > 0
      ? `boxes are printed instead of ${unprinted.join(', ')}, because no font has them`
      : undefined
  return [{ attachment: { filename, mimetype: 'application/pdf', data: pdf }, doubt }]
}

const callFunction = async (
  creation: Creation,
  name: string,
  reader: DocumentReader | undefined,
): Promise<readonly FunctionDocument[]> => {
  const { functions, documents, shared } = creation
  if (nativeFunctions.has(name)) {
    const services = createFunctionServices(documents, reader)
    return functions.makeDocuments(name, await subjectOf(creation, reader), services)
  }
  const made =
    shared.get(name) ??
    subjectOf(creation, undefined).then((subject) => functions.makeDocuments(name, subject))
  shared.set(name, made)
  return made
}

const subjectOf = ({ documents, mailing }: Creation, reader: DocumentReader | undefined) => {
  const { entity_key: entityKey, entity_id: entityId, actor_id: actorId } = mailing
  const { operation, comment } = mailing
  const action = 'key' in mailing.action ? (mailing.action as FunctionAction) : null
  const subject = { entityKey, entityId, actorId, operation, action, comment, changes: null }
  return readSubject(documents, subject, reader)
}

/** A failed document leaves its name, so that the e-mail can name what is missing. */
const attempt = async (
  name: string,
  reader: DocumentReader | undefined,
  make: () => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> => {
  try {
    return await make()
  } catch (error) {
    const [firstLine = ''] = errorText(error).split(/[\r\n]/)
    const text = firstLine.replaceAll('\0', '').slice(0, 1000)
    return [{ name, fault: text, isFinal: isFinal(error, reader) }]
  }
}

// A template that needs what this role may not read fails at every attempt; after a timeout or a crash the
// next one may succeed.
const isFinal = (error: unknown, reader: DocumentReader | undefined): boolean =>
  reader !== undefined &&
  error instanceof ApiError &&
  error.code !== 'request.saturated' &&
  !(error.cause instanceof RenderError)

/** The files of a record that go with an e-mail: those in the fields that a rule names, as far as their readers may read them. */
type Asked = {
  readonly entity: Entity
  readonly id: number
  readonly fields: readonly string[]
  /** Without a reader everything is visible. */
  readonly reader: DocumentReader | undefined
}

type Found = { readonly file: ShownFile } | Left
/** Files that one e-mail does not take. */
type Left = { readonly name: string; readonly fault: string; readonly isFinal: true }

// Each may become a link in the text of the e-mail.
const maxFiles = 100

/** Those of a field that the reader may not read are left out without a word, as the field is everywhere. */
const findFiles = async (
  deps: DocumentDeps,
  { entity, id, fields, reader }: Asked,
): Promise<readonly Found[]> => {
  if (fields.length === 0) return []
  const { access, scope } = reader ?? { access: fullAccess, scope: 'all' as const }
  const reading = { ...deps, entity, access, scope, include: [] }
  const record = await readRecord(deps.pool, reading, id).catch(undefinedIfUnknown)
  if (!record) return []
  const values: Readonly<Record<string, unknown>> = JSON.parse(record.json)
  const columns = fileColumns(entity)
  const files = fields.flatMap((key) => {
    const column = columns.find(({ field }) => field.key === key)
    return column ? shownIn(values[column.name]) : []
  })
  const left = files.length - maxFiles
  return [
    ...files.slice(0, maxFiles).map((file) => ({ file })),
    ...(left > 0
      ? [
          {
            name: `+ ${left}`,
            fault: `an e-mail has at most ${maxFiles} files`,
            isFinal: true as const,
          },
        ]
      : []),
  ]
}

/** A field has one file, several, or none. */
const shownIn = (value: unknown): readonly ShownFile[] =>
  value === null || value === undefined ? [] : [value as ShownFile | ShownFile[]].flat()

// A record that was removed meanwhile, or that the recipients may not read.
const undefinedIfUnknown = (error: unknown): undefined => {
  if (error instanceof ApiError && error.code === 'record.unknown') return undefined
  throw error
}
