/**
 * The built-in document functions. They have the same contract and services as those of a project, but
 * are trusted: they run in the main thread and set no timeout.
 */
import type { DocumentFunction, FunctionContext } from './function-context.ts'

/** Prefix of every built-in function's name. */
export const nativePrefix = 'native/'

const exportLine = async (
  { entityKey, entityId, services }: FunctionContext,
  { format, mimetype }: { readonly format: string; readonly mimetype: string },
) => {
  const criteria = { $where: { id: entityId } }
  const data = await services.entityExport.export(entityKey, criteria, { format })
  return { documents: [{ filename: `${entityKey}-${entityId}.${format}`, mimetype, data }] }
}

const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** By name; add one as a new row. */
export const nativeFunctions: ReadonlyMap<string, DocumentFunction> = new Map<
  string,
  DocumentFunction
>([
  [
    `${nativePrefix}entity-export`,
    (context) => exportLine(context, { format: 'csv', mimetype: 'text/csv; charset=utf-8' }),
  ],
  [
    `${nativePrefix}entity-export-xlsx`,
    (context) => exportLine(context, { format: 'xlsx', mimetype: spreadsheet }),
  ],
  [
    `${nativePrefix}record-json`,
    ({ entityKey, entityId, record }) => ({
      documents: [
        {
          filename: `${entityKey}-${entityId}.json`,
          mimetype: 'application/json',
          data: Buffer.from(`${JSON.stringify(record, null, 2)}\n`),
        },
      ],
    }),
  ],
])
