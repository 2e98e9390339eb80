/** The services that functions of the project may ask: searches and exports with the rights of the service. */
import { getEntity } from '../definitions/catalog.ts'
import { type DocumentParts, renderDocument } from '../documents/render-document.ts'
import { compileOrder } from '../export/compile-export.ts'
import { exportFormatNames, getFormat } from '../export/export-formats.ts'
import { planExport } from '../export/plan-export.ts'
import { runExport } from '../export/run-export.ts'
import type { EntityExport, OfferedServices } from '../functions/function-services.ts'
import { suggestion } from '../near-miss.ts'
import { fullAccess } from '../query/access.ts'
import { parseCriteria } from '../query/parse-criteria.ts'
import { searchRecords } from '../records/read-records.ts'

// A search is held in memory, once here and once in the thread; an export is not.
const mostRecords = 10_000

/** Everything is visible to them, as to the service itself. */
export const createFunctionServices = (parts: DocumentParts): OfferedServices => ({
  exportEntity: (wish, left) => exportBytes(parts, wish, left),
  findRecords: (entityKey, criteria) => findRecords(parts, entityKey, criteria),
  renderDocument: async (code, entityKey, id) => {
    const entity = getEntity(parts.catalog, entityKey)
    return (await renderDocument(parts, { code, entity, id, actorId: null })).pdf
  },
})

const findRecords = async (
  { pool, catalog, timeZone }: DocumentParts,
  entityKey: string,
  criteria: unknown,
): Promise<string> => {
  const entity = getEntity(catalog, entityKey)
  const reading = {
    catalog,
    entity,
    access: fullAccess,
    scope: 'all',
    timeZone,
    include: [],
  } as const
  const page = { limit: mostRecords + 1, offset: 0 }
  const { records } = await searchRecords(pool, reading, parseCriteria(criteria), page)
  if (records.length > mostRecords)
    throw new Error(
      `more than ${mostRecords} records of ${entityKey} match; narrow $where, or export them`,
    )
  return `[${records.join(',')}]`
}

/** The one place that knows how an export is planned, compiled and run. */
const exportBytes = async function* (
  { pool, catalog, timeZone }: DocumentParts,
  { entityKey, criteria: wished, format: name = 'csv' }: EntityExport,
  left: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (!exportFormatNames.includes(name))
    throw new Error(`there is no export format "${name}"${suggestion(name, exportFormatNames)}`)
  const entity = getEntity(catalog, entityKey)
  const criteria = parseCriteria(wished)
  const everything = { access: fullAccess, scope: 'all', page: undefined } as const
  const plan = planExport({ catalog, entity, criteria, timeZone, ...everything })
  const format = getFormat(name)
  const sheet = {
    columns: plan.columns,
    name: entity.name,
    escapesFormulas: entity.definition.exportSettings?.escapeFormulas ?? true,
    hasByteOrderMark: false,
  }
  const order = compileOrder({ plan, format, sheet, encoding: undefined, withDigest: false })
  const { stream } = await runExport({ pool, order, left })
  yield* stream
}
