/** The services for functions of the project: searches and exports with the permissions of the service. */
import { getEntity } from '../definitions/catalog.ts'
import { didYouMean } from '../did-you-mean.ts'
import {
  type DocumentDeps,
  type DocumentReader,
  renderDocument,
} from '../documents/render-document.ts'
import { compileExport } from '../export/compile-export.ts'
import { exportFormatNames, getFormat } from '../export/export-formats.ts'
import { planExport } from '../export/plan-export.ts'
import { runExport } from '../export/threads/run-export.ts'
import type { EntityExport, OfferedServices } from '../functions/function-services.ts'
import { type Access, fullAccess } from '../query/access.ts'
import { parseCriteria } from '../query/criteria/parse-criteria.ts'
import { searchRecords } from '../records/read-records.ts'

// A search is held in memory, here and in the thread; an export is not.
const maxRecords = 10_000

/** Everything is visible to them, as to the service itself, unless there is a reader. */
export const createFunctionServices = (
  deps: DocumentDeps,
  reader?: DocumentReader,
): OfferedServices => {
  const asking = { ...deps, access: reader?.access ?? fullAccess }
  return {
    exportEntity: (request, signal) => exportBytes(asking, request, signal),
    findRecords: (entityKey, criteria) => findRecords(asking, entityKey, criteria),
    renderDocument: async (code, entityKey, id) => {
      const entity = getEntity(deps.catalog, entityKey)
      const request = { code, entity, id, actorId: null, ...(reader && { reader }) }
      return (await renderDocument(deps, request)).pdf
    },
  }
}

type Asking = DocumentDeps & { readonly access: Access }

const findRecords = async (
  { pool, catalog, timeZone, access }: Asking,
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

/** The bytes of an export, with all rows, as a stream. */
const exportBytes = async function* (
  { pool, catalog, timeZone, access }: Asking,
  { entityKey, criteria: body, format: name = 'csv' }: EntityExport,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (!exportFormatNames.includes(name))
    throw new Error(`there is no export format "${name}"${didYouMean(name, exportFormatNames)}`)
  const entity = getEntity(catalog, entityKey)
  const criteria = parseCriteria(body, 'rows')
  const sight = { access, scope: access.readScope(entity), page: undefined }
  const plan = planExport({ catalog, entity, criteria, timeZone, ...sight })
  const task = compileExport({
    plan,
    entity,
    format: getFormat(name),
    timeZone,
    locale: catalog.locale,
  })
  const { stream } = await runExport({ pool, task, signal })
  yield* stream
}
