/**
 * The built-in document functions. They have the same contract and services as those of a project, but are trusted: they
 * run in the main thread, without a channel, and set no timeout.
 */
import { errorText } from '../errors.ts'
import { checkDocuments } from './check-documents.ts'
import type { Failure } from './function-call.ts'
import type {
  DocumentFunction,
  FunctionContext,
  FunctionDocument,
  FunctionLog,
  FunctionServices,
  FunctionSubject,
  OfferedServices,
} from './function-context.ts'

/** Ends what still runs when `signal` is aborted. */
export const localServices = (
  { exportEntity, findRecords, renderDocument, readFile }: OfferedServices,
  signal: AbortSignal,
): FunctionServices => ({
  entityExport: {
    export: async (entityKey, criteria, options) => {
      const chunks: Uint8Array[] = []
      const request = { entityKey, criteria, format: options?.format }
      for await (const chunk of exportEntity(request, signal)) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
  },
  records: {
    find: async (entityKey, criteria) => JSON.parse(await findRecords(entityKey, criteria)),
  },
  documents: { render: renderDocument },
  files: {
    read: async (entityKey, entityId, fileId) =>
      Buffer.concat(await Array.fromAsync(readFile({ entityKey, entityId, fileId }))),
  },
})

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

type Options = {
  readonly subject: FunctionSubject
  readonly services: OfferedServices
  readonly log: FunctionLog
  readonly maxBytes: number
}

// It only waits for the database, where a lock or a long sort may take time.
const timeoutMs = 30_000

export const runNative = async (
  exec: DocumentFunction,
  { subject, services, log, maxBytes }: Options,
): Promise<{ documents: readonly FunctionDocument[] } | { failure: Failure }> => {
  try {
    const offered = localServices(services, AbortSignal.timeout(timeoutMs))
    const checked = checkDocuments(await exec({ ...subject, services: offered, log }), maxBytes)
    return 'issue' in checked ? failed('wrong-answer', checked.issue) : checked
  } catch (error) {
    return failed('threw', `threw "${errorText(error)}"`)
  }
}

const failed = (reason: Failure['reason'], text: string) => ({ failure: { reason, text } })
