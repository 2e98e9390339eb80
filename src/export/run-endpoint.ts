/** `GET /api/exports/{requestId}`: how an export of the caller ended (docs/export.md). */
import { apiError } from '../errors.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { text } from '../http/endpoint/parameters.ts'
import { component, json, objectOf } from '../http/openapi/operation.ts'
import { exportFormatNames } from './export-formats.ts'
import { type FoundRun, runStates } from './export-run-store.ts'
import type { ExportRuns } from './export-runs.ts'

export type RunDeps = { readonly runs: ExportRuns }

const number = { type: 'integer', minimum: 0 }
const time = { type: 'string', format: 'date-time' }

const exportRun = component(
  'ExportRun',
  objectOf({
    request_id: { type: 'string' },
    entity_key: { type: 'string' },
    format: { type: 'string', enum: exportFormatNames },
    state: {
      type: 'string',
      enum: runStates,
      description: '`cancelled`: the client disconnected. Only `ended` is a whole file.',
    },
    rows: { ...number, description: 'Rows so far; all of them at the end.' },
    bytes: { ...number, description: 'Bytes of the answer as they were sent, perhaps compressed.' },
    digest: {
      type: ['string', 'null'],
      description:
        '`sha-256=…` of the file as a client stores it, without `Content-Encoding`; null before the end and without `manifest=true`.',
    },
    begun_at: time,
    updated_at: { ...time, description: 'When it ended, or when this was written last.' },
  }),
)

export const runEndpoint = endpoint({
  method: 'get',
  path: '/api/exports/{requestId}',
  id: 'readExport',
  tag: 'Exports',
  summary: 'How an export of yours ended',
  description:
    'For clients that see no trailers, such as browsers. An export is listed after its first second, or at its end, and for an hour after it.',
  who: 'caller',
  params: { requestId: text('The header `X-Request-Id` of its answer.', { isRequired: true }) },
  errors: ['export.unknown'],
  answers: { 200: json('The export.', exportRun) },
  handle: async ({ caller, params: { requestId = '' } }, { runs }: RunDeps) => {
    // As the service accepts them.
    const found = /^[\w.:-]{1,128}$/.test(requestId)
      ? await runs.find(caller.userId, requestId)
      : undefined
    if (!found) throw apiError('export.unknown', 'You have no export with this request id.')
    return print(found)
  },
})

const print = ({ requestId, entityKey, format, state, rows, bytes, ...rest }: FoundRun) => ({
  request_id: requestId,
  entity_key: entityKey,
  format,
  state,
  rows,
  bytes,
  digest: rest.fileDigest === null ? null : `sha-256=${rest.fileDigest}`,
  begun_at: rest.begunAt,
  updated_at: rest.updatedAt,
})
