/** The rows of exports: how far each is, and how it ended. */
import { execute, type Pool, queryRow } from '../database/pool.ts'
import { bigint, int, isoTime, sql, text, timestamp } from '../database/sql.ts'

export const runStates = ['running', 'ended', 'failed', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

export type ExportRun = {
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
export const saveExportRun = async (
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
export const findExportRun = async (pool: Pool, userId: number, requestId: string) =>
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

export type FoundRun = Omit<ExportRun, 'fileDigest'> & {
  readonly fileDigest: string | null
  /** ISO 8601. */
  readonly begunAt: string
  readonly updatedAt: string
}

/** Removes exports that ended an hour ago. */
export const forgetOldExports = async (pool: Pool): Promise<void> => {
  await execute(
    pool,
    sql`DELETE FROM docket.export_run WHERE updated_at < now() - interval '1 hour'`,
  )
}
