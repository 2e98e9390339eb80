/** What functions of the project are called with: the record, the actor and the operation, and services. */
import { getEntity } from '../definitions/catalog.ts'
import { standardCsv } from '../definitions/values/rules/csv-dialects.ts'
import { didYouMean } from '../did-you-mean.ts'
import {
  type DocumentDeps,
  type DocumentReader,
  renderDocument,
} from '../documents/render-document.ts'
import { compileExport } from '../export/compile-export.ts'
import { exportFormatNames, getFormat } from '../export/export-formats.ts'
import { planExport } from '../export/plan-export.ts'
import { runExport } from '../export/run-export.ts'
import type {
  EntityExport,
  FunctionSubject,
  OfferedServices,
  RequestedFile,
} from '../functions/function-context.ts'
import type { ProjectFunctions } from '../functions/project-functions.ts'
import { describeAction } from '../outbox/events/printable-record.ts'
import { type Access, fullAccess, type RecordScope } from '../query/access.ts'
import { noCriteria } from '../query/criteria/criteria.ts'
import { parseCriteria } from '../query/criteria/parse-criteria.ts'
import { findFile } from '../records/file-endpoint.ts'
import { searchRecords } from '../records/read-records.ts'
import type { handleMessage } from '../records/write/change-events.ts'
import { type DecideDeps, withRemoved } from './decide.ts'
import { idIn } from './event-values.ts'

type KnownSubject = Omit<FunctionSubject, 'record' | 'actor'> & { readonly actorId: number | null }

/** Reads the current record and actor, also removed ones. */
export const readSubject = async (
  deps: Pick<DecideDeps, 'pool' | 'catalog' | 'timeZone'>,
  { actorId, ...subject }: KnownSubject,
  /**
   * Whose permissions apply to the record; without a reader everything is visible, as to the service
   * itself.
   */
  reader?: { readonly access: Access; readonly scope: RecordScope },
): Promise<FunctionSubject> => {
  const read = async (key: string, id: number, access: Access, scope: RecordScope) => {
    const { pool, catalog, timeZone } = deps
    const entity = getEntity(catalog, key)
    const reading = { catalog, entity, access, timeZone, include: [] }
    const criteria = { ...noCriteria, where: withRemoved(idIn([id])) }
    const page = { limit: 1, offset: 0 }
    const { records } = await searchRecords(pool, { ...reading, scope }, criteria, page)
    return records[0] === undefined ? undefined : JSON.parse(records[0])
  }
  const { entityKey, entityId } = subject
  const { access, scope } = reader ?? { access: fullAccess, scope: 'all' }
  const found = await read(entityKey, entityId, access, scope)
  // One that was removed for good has nothing but its id.
  const record = found ?? (subject.operation === 'remove' ? { id: entityId } : undefined)
  if (!record) throw new Error(`There is no ${entityKey} ${entityId}.`)
  // What the service creates for a reader does not name the actor.
  const actor =
    actorId === null || reader ? null : ((await read('user', actorId, fullAccess, 'all')) ?? null)
  return { ...subject, record, actor }
}

/** Calls a message handler of the project. */
export const callHandler = async (
  deps: Pick<DecideDeps, 'pool' | 'catalog' | 'timeZone'> & {
    readonly functions: ProjectFunctions
  },
  { handler, ...message }: NonNullable<typeof handleMessage.payload>,
): Promise<void> => {
  const subject = await readSubject(deps, {
    entityKey: message.entity_key,
    entityId: message.entity_id,
    actorId: message.actor_id,
    operation: message.operation,
    action: describeAction(getEntity(deps.catalog, message.entity_key), message) ?? null,
    comment: message.comment,
    changes: message.changes ?? null,
  })
  await deps.functions.handleMessage(handler, subject)
}

// A search is held in memory, here and in the thread; an export is not.
const maxRecords = 10_000

/** Everything is visible to them, as to the service itself, unless there is a reader. */
export const createFunctionServices = (
  deps: DocumentDeps,
  reader?: DocumentReader,
): OfferedServices => {
  const reading = { ...deps, access: reader?.access ?? fullAccess }
  return {
    exportEntity: (request, signal) => exportBytes(reading, request, signal),
    findRecords: (entityKey, criteria) => findRecords(reading, entityKey, criteria),
    renderDocument: async (code, entityKey, id) => {
      const entity = getEntity(deps.catalog, entityKey)
      const request = { code, entity, id, actorId: null, ...(reader && { reader }) }
      return (await renderDocument(deps, request)).pdf
    },
    readFile: (file) => readFile(reading, file, reader?.scope),
  }
}

type ReadingDeps = DocumentDeps & { readonly access: Access }

const findRecords = async (
  { pool, catalog, timeZone, access }: ReadingDeps,
  entityKey: string,
  criteria: unknown,
): Promise<string> => {
  const entity = getEntity(catalog, entityKey)
  const reading = {
    catalog,
    entity,
    access,
    scope: access.readScope(entity),
    timeZone,
    include: [],
  }
  const page = { limit: maxRecords + 1, offset: 0 }
  const { records } = await searchRecords(pool, reading, parseCriteria(criteria, 'rows'), page)
  if (records.length > maxRecords)
    throw new Error(
      `more than ${maxRecords} records of ${entityKey} match; narrow $where, or export them`,
    )
  return `[${records.join(',')}]`
}

/** The bytes of a file that a record has or had; for a reader, of one that is not removed. */
const readFile = async function* (
  { pool, catalog, access, blobs }: ReadingDeps,
  { entityKey, entityId: id, fileId }: RequestedFile,
  scope: RecordScope | undefined,
): AsyncGenerator<Uint8Array> {
  const entity = getEntity(catalog, entityKey)
  const scopes = scope ? ({ scope, removable: 'none', internal: 'none' } as const) : everyScope
  const { sha256 } = await findFile(pool, { entity, id, fileId, access, ...scopes })
  yield* await blobs.open(sha256)
}

const everyScope = { scope: 'all', removable: 'all', internal: 'all' } as const

/** The bytes of an export, with all rows, as a stream. */
const exportBytes = async function* (
  { pool, catalog, timeZone, access }: ReadingDeps,
  { entityKey, criteria: body, format: name = 'csv' }: EntityExport,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (!exportFormatNames.includes(name))
    throw new Error(`there is no export format "${name}"${didYouMean(name, exportFormatNames)}`)
  const entity = getEntity(catalog, entityKey)
  const criteria = parseCriteria(body, 'rows')
  const visible = { access, scope: access.readScope(entity), page: undefined }
  const plan = planExport({ catalog, entity, criteria, timeZone, ...visible })
  const task = compileExport({
    plan,
    entity,
    format: getFormat(name),
    timeZone,
    locale: catalog.locale,
    // Functions are programs.
    csv: standardCsv,
  })
  const { stream } = await runExport({ pool, task, signal })
  yield* stream
}
