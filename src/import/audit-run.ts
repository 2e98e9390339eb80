/** Imports in the audit: who has one written or undone, and what came of it (docs/audit.md). */
import { type Origin, recordAudit } from '../audit/record-audit.ts'
import { authorOf, type Caller } from '../auth/caller.ts'
import { type Queryable, queryRow } from '../database/pool.ts'
import { int, sql } from '../database/sql.ts'
import type { ImportPlan } from './import-plan.ts'

/** Who asks for something, and from where. */
export type Asker = { readonly caller: Caller; readonly origin: Origin }

type Asked = { readonly id: number; readonly entity_key: string; readonly plan: ImportPlan }

/** A caller has a run written or undone, in the transaction that does so. */
export const auditAsked = (
  connection: Queryable,
  { caller, origin }: Asker,
  kind: 'beginImport' | 'undoImport',
  { id, entity_key: entityKey, plan }: Asked,
): Promise<void> => {
  const columns = plan.columns.map(({ name }) => name)
  const more = kind === 'beginImport' ? { mode: plan.mode, columns } : {}
  return recordAudit(connection, {
    kind,
    by: authorOf(caller),
    entityKey,
    origin,
    detail: { import_id: id, ...more },
  })
}

type Ended = {
  readonly entity_key: string
  readonly user_id: number
  readonly acting_user_id: number | null
  readonly state: string
  readonly created: number
  readonly updated: number
  readonly faulty: number
  readonly left: number
}

/** A run that was to be written has come to an end, or waits again. */
export const auditEnd = async (database: Queryable, id: number): Promise<void> => {
  const run = await queryRow<Ended>(
    database,
    sql`
      SELECT r.entity_key, r.user_id, r.acting_user_id, r.state, r.created, r.changed AS updated, r.faulty,
        CASE WHEN r.state = 'undone' THEN (
          SELECT count(*)::integer FROM docket.import_record w WHERE w.import_id = r.id AND w.entity_key = ''
        ) ELSE 0 END AS left
      FROM docket.import_run r
      WHERE r.id = ${int(id)} AND (r.writes OR r.state = 'undone')`,
  )
  if (!run) return
  const { state, created, updated, faulty, left } = run
  // One that is ready would only write what is counted.
  const counts = state === 'ready' ? { faulty } : { created, updated, faulty }
  await recordAudit(database, {
    kind: 'endImport',
    by: { userId: run.user_id, actingUserId: run.acting_user_id },
    entityKey: run.entity_key,
    detail: { import_id: id, state, ...(state === 'undone' ? { left } : counts) },
  })
}
