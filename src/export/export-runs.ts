/**
 * How exports end, for clients that see no trailers (docs/export.md): one row each, which every process can read. While an
 * export runs its process writes the row only every few seconds, and never waits for it.
 */
import { type AuditEvent, recordDone } from '../audit/record-audit.ts'
import { execute, type Pool, queryRow } from '../database/pool.ts'
import { runOutsideRequest } from '../database/request-context.ts'
import { bigint, int, isoTime, sql, text, timestamp } from '../database/sql.ts'
import { apiError } from '../errors.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { text as textParameter } from '../http/endpoint/parameters.ts'
import { component, count, json, objectOf, time, type ValueOf } from '../http/openapi/operation.ts'
import type { Observe } from '../observations.ts'
import { exportFormatNames } from './export-formats.ts'

const runStates = ['running', 'ended', 'failed', 'cancelled'] as const
type RunState = (typeof runStates)[number]

type ExportRun = {
  readonly userId: number
  /** The header `X-Request-Id` of its answer. */
  readonly requestId: string
  readonly entityKey: string
  readonly format: string
  readonly state: RunState
  readonly rows: number
  /** As they were sent. */
  readonly bytes: number
  /** SHA-256 of the file before compression, in base64. */
  readonly fileDigest: string | undefined
}

/** Writes the row of a run; a later export with the same id replaces it. */
const saveExportRun = async (
  pool: Pool,
  { begunAt, ...run }: ExportRun & { readonly begunAt: Date },
): Promise<void> => {
  const key = sql`${int(run.userId)}, ${text(run.requestId)}`
  const kind = sql`${text(run.entityKey)}, ${text(run.format)}, ${timestamp(begunAt)}`
  const reached = sql`${text(run.state)}, ${bigint(run.rows)}, ${bigint(run.bytes)}`
  await execute(
    pool,
    sql`
INSERT INTO docket.export_run AS r
  (user_id, request_id, entity_key, format, begun_at, state, rows, bytes, digest)
VALUES (${key}, ${kind}, ${reached}, ${text(run.fileDigest ?? null)})
ON CONFLICT (user_id, request_id) DO UPDATE
SET entity_key = excluded.entity_key, format = excluded.format, begun_at = excluded.begun_at,
  state = excluded.state, rows = excluded.rows, bytes = excluded.bytes, digest = excluded.digest,
  updated_at = now()`,
  )
}

/** A run of this user; one whose process no longer renews it has failed. */
const findExportRun = async (pool: Pool, userId: number, requestId: string) =>
  queryRow<FoundRun>(
    pool,
    sql`
SELECT r.user_id AS "userId", r.request_id AS "requestId", r.entity_key AS "entityKey", r.format,
  CASE WHEN r.state = 'running' AND r.updated_at < now() - interval '30 seconds' THEN 'failed' ELSE r.state END
    AS state,
  r.rows, r.bytes, r.digest AS "fileDigest",
  ${isoTime('r.begun_at')} AS "begunAt", ${isoTime('r.updated_at')} AS "updatedAt"
FROM docket.export_run r
WHERE r.user_id = ${int(userId)} AND r.request_id = ${text(requestId)}`,
  )

type FoundRun = Omit<ExportRun, 'fileDigest'> & {
  readonly fileDigest: string | null
  /** ISO 8601. */
  readonly begunAt: string
  readonly updatedAt: string
}

/** Counted while chunks are written; the digest is known at the end. */
export type Tally = { rows: number; bytes: number; fileDigest: string | undefined }

type Begun = Pick<ExportRun, 'userId' | 'requestId' | 'entityKey' | 'format'> & {
  /** Stored at its end, with what it gave. */
  readonly audited: AuditEvent
}

type RunNote = {
  readonly end: (state: RunState) => void
  /** It was refused before its first byte: its client knows that. */
  readonly refuse: () => void
}

export type ExportRuns = {
  readonly begin: (begun: Begun, tally: Tally) => RunNote
  readonly find: (userId: number, requestId: string) => Promise<FoundRun | undefined>
}

// Most exports are shorter, and are written only once.
const firstAfterMs = 1_000
const everyMs = 5_000

export const createExportRuns = (pool: Pool, observe: Observe): ExportRuns => {
  /** The last write of each run of this process. */
  const writing = new Map<string, Promise<void>>()
  return {
    begin: (begun, tally) => noteRun({ pool, observe, writing }, begun, tally),
    find: async (userId, requestId) => {
      // The client may ask before the end is written.
      await writing.get(keyOf({ userId, requestId }))
      return findExportRun(pool, userId, requestId)
    },
  }
}

const keyOf = ({ userId, requestId }: Pick<ExportRun, 'userId' | 'requestId'>): string =>
  `${userId} ${requestId}`

type Writing = {
  readonly pool: Pool
  readonly observe: Observe
  readonly writing: Map<string, Promise<void>>
}

const noteRun = (
  { pool, observe, writing }: Writing,
  { audited, ...begun }: Begun,
  tally: Tally,
): RunNote => {
  const key = keyOf(begun)
  const begunAt = new Date()
  let isWritten = false
  let last: Promise<void> = Promise.resolve()
  const write = (state: RunState) => {
    isWritten = true
    const run = { ...begun, ...tally, begunAt, state }
    // A row that cannot be written is older than its process renews it, and counts as failed.
    const next = last.then(() => save(pool, run)).catch(() => undefined)
    last = next
    writing.set(key, next)
    void next.then(() => {
      if (writing.get(key) === next) writing.delete(key)
    })
  }
  const renew = () => {
    write('running')
    timer = setTimeout(renew, everyMs).unref()
  }
  let timer = setTimeout(renew, firstAfterMs).unref()
  const end = (state: RunState) => {
    clearTimeout(timer)
    write(state)
    const detail = { ...audited.detail, state, rows: tally.rows }
    recordDone({ pool, observe }, { ...audited, detail })
  }
  return {
    end,
    refuse: () => {
      clearTimeout(timer)
      if (isWritten) write('failed')
    },
  }
}

/** The request may have ended. */
const save = (pool: Pool, run: Parameters<typeof saveExportRun>[1]): Promise<void> =>
  runOutsideRequest(() => saveExportRun(pool, run))

export type RunDeps = { readonly runs: ExportRuns }

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
    rows: { ...count, description: 'Rows so far; all of them at the end.' },
    bytes: { ...count, description: 'Bytes of the answer as they were sent, perhaps compressed.' },
    digest: {
      type: ['string', 'null'],
      description:
        '`sha-256=…` of the file as a client stores it, without `Content-Encoding`; null before the end and without `manifest=true`.',
    },
    begun_at: time,
    updated_at: { ...time, description: 'When it ended, or when this was written last.' },
  }),
)

export type DescribedRun = ValueOf<typeof exportRun>

export const runEndpoint = endpoint({
  method: 'get',
  path: '/api/exports/{requestId}',
  id: 'readExport',
  tag: 'Exports',
  summary: 'How an export of yours ended',
  description:
    'For clients that see no trailers, such as browsers. An export is listed after its first second, or at its end, and for an hour after it.',
  who: 'caller',
  params: {
    requestId: textParameter('The header `X-Request-Id` of its answer.', { isRequired: true }),
  },
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
