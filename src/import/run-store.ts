/** The rows of runs: each import of a file is one, from its upload until it is removed. */
import { type Queryable, queryOnce, queryRow } from '../database/pool.ts'
import { int, isoTime, json, type Sql, sql, text } from '../database/sql.ts'
import { enqueue, jobKind, jobsIn } from '../jobs/job.ts'
import { auditEnd } from './audit-run.ts'
import { checkSteps } from './check-rows.ts'
import type { ImportPlan } from './import-plan.ts'

/**
 * `reading`: by the process that got the file. `checking`, `writing`: by a job. `ready`: checked, and waits for its start. `stopped`: a
 * start goes on. `done` is an end, unless rows that were left are corrected, which are checked then; `failed` is one. `undoing`: by a
 * job, until it is `undone`.
 */
export const runStates = [
  'reading',
  'checking',
  'ready',
  'writing',
  'stopped',
  'done',
  'failed',
  'undoing',
  'undone',
] as const
export type RunState = (typeof runStates)[number]

export type ImportRun = {
  readonly id: number
  readonly entity_key: string
  readonly user_id: number
  readonly acting_user_id: number | null
  readonly key_scope: string | null
  readonly state: RunState
  readonly plan: ImportPlan
  readonly digest: string
  readonly writes: boolean
  readonly all_or_nothing: boolean
  readonly is_checked: boolean
  readonly rows: number
  readonly place: number
  readonly faulty: number
  readonly created: number
  readonly changed: number
  readonly unchanged: number
  /** What was written before rows that were left then were corrected; null: all rows are still to be done. */
  readonly written: Counts | null
}

/** What became of rows, or would. */
export type Counts = Pick<ImportRun, 'created' | 'changed' | 'unchanged'>

export const noCounts: Counts = { created: 0, changed: 0, unchanged: 0 }

/** The job that checks a run, and writes it. */
export const importRows = jobKind<{ readonly import_id: number }>('import.run')

type NewRun = Pick<
  ImportRun,
  'entity_key' | 'user_id' | 'acting_user_id' | 'key_scope' | 'plan' | 'digest' | 'writes'
> & { readonly file_name: string | null }

/** A run whose file is being read. */
export const createRun = async (database: Queryable, run: NewRun): Promise<number> => {
  const row = await queryRow<{ id: number }>(
    database,
    sql`
      INSERT INTO docket.import_run
        (entity_key, user_id, acting_user_id, key_scope, file_name, state, plan, digest, writes, all_or_nothing)
      VALUES (${text(run.entity_key)}, ${int(run.user_id)}, ${int(run.acting_user_id)},
        ${text(run.key_scope)}, ${text(run.file_name)}, 'reading', ${json(run.plan)}::jsonb,
        ${text(run.digest)}, ${truth(run.writes)}, true)
      RETURNING id`,
  )
  if (!row) throw new Error('PostgreSQL returned no run.')
  return row.id
}

const truth = (value: boolean): Sql => (value ? sql`true` : sql`false`)

const columns = sql`
  r.id, r.entity_key, r.user_id, r.acting_user_id, r.key_scope, r.state, r.plan, r.digest, r.writes,
  r.all_or_nothing, r.is_checked, r.rows, r.place, r.faulty, r.created, r.changed, r.unchanged, r.written`

type Row = Omit<ImportRun, 'plan' | 'written'> & { plan: string; written: string | null }

const parsed = (row: Row | undefined): ImportRun | undefined =>
  row && {
    ...row,
    plan: JSON.parse(row.plan) as ImportPlan,
    written: row.written === null ? null : (JSON.parse(row.written) as Counts),
  }

export const findRun = async (database: Queryable, id: number): Promise<ImportRun | undefined> =>
  parsed(
    await queryRow(
      database,
      sql`SELECT ${columns} FROM docket.import_run r WHERE r.id = ${int(id)}`,
    ),
  )

/**
 * The same for a transaction that works on it: one at a time, in the order in which they ask. Of the row alone the next batch could be
 * quicker than the user who waits to stop it, again and again.
 */
export const lockRun = async (database: Queryable, id: number): Promise<ImportRun | undefined> => {
  const turn = text(`docket.import_run ${id}`)
  await queryOnce(database, sql`SELECT pg_advisory_xact_lock(hashtextextended(${turn}, 0))`)
  return parsed(
    await queryRow(
      database,
      sql`SELECT ${columns} FROM docket.import_run r WHERE r.id = ${int(id)} FOR UPDATE`,
    ),
  )
}

type Progress = {
  readonly state?: RunState
  readonly place?: number
  readonly rows?: number
  readonly faulty?: number
  /** Added to what was counted. */
  readonly more?: Counts
  /** In place of what was counted. */
  readonly counts?: Counts
  /** Before what is left is done. */
  readonly written?: Counts
  readonly error?: string | null
  readonly allOrNothing?: boolean
  readonly isChecked?: boolean
  readonly writes?: boolean
  /** Added to those of the plan. */
  readonly notes?: readonly string[]
}

/** In these nothing happens to a run until a user asks for it. */
const restingStates: readonly RunState[] = ['ready', 'stopped', 'done', 'failed', 'undone']

/** Notes how far a run is, in the transaction of the work. Returns whether it is there: it may have been removed. */
export const updateRun = async (
  database: Queryable,
  id: number,
  { state, place, rows, faulty, more, counts, written, error, notes, ...flags }: Progress,
): Promise<boolean> => {
  const given = (value: number | undefined, name: Sql) => (value === undefined ? name : int(value))
  const count = (name: 'created' | 'changed' | 'unchanged', column: Sql) =>
    counts ? int(counts[name]) : sql`${column} + ${int(more?.[name] ?? 0)}`
  const flag = (value: boolean | undefined, name: Sql) =>
    value === undefined ? name : truth(value)
  const found = await queryOnce(
    database,
    sql`
      UPDATE docket.import_run r
      SET state = ${state === undefined ? sql`r.state` : text(state)},
        place = ${given(place, sql`r.place`)},
        rows = ${given(rows, sql`r.rows`)},
        faulty = ${given(faulty, sql`r.faulty`)},
        created = ${count('created', sql`r.created`)},
        changed = ${count('changed', sql`r.changed`)},
        unchanged = ${count('unchanged', sql`r.unchanged`)},
        written = ${written ? sql`${json(written)}::jsonb` : sql`r.written`},
        error = ${error === undefined ? sql`r.error` : text(error)},
        all_or_nothing = ${flag(flags.allOrNothing, sql`r.all_or_nothing`)},
        is_checked = ${flag(flags.isChecked, sql`r.is_checked`)},
        writes = ${flag(flags.writes, sql`r.writes`)},
        plan = ${notes?.length ? sql`jsonb_set(r.plan, '{notes}', (r.plan -> 'notes') || ${json(notes)}::jsonb)` : sql`r.plan`},
        updated_at = now()
      WHERE r.id = ${int(id)}
      RETURNING r.id`,
  )
  if (state && restingStates.includes(state)) await auditEnd(database, id)
  return found.length > 0
}

/** In the transaction that makes the run one that a job works on. */
export const enqueueRun = (database: Queryable, id: number): Promise<unknown> =>
  queryOnce(
    database,
    sql`SELECT ${jobsIn(enqueue({ kind: importRows, payload: { import_id: id } }), 'jobs')}`,
  )

const tried = checkSteps.length

/** The number of the last step of the checks, which tries to write rows. */
const lastStep = sql`${int(tried + 1)}`

/** The rows of a step of the checks, or those that are written. */
const doneRows = sql`CASE
    WHEN r.state = 'checking' THEN greatest(r.place - ${int(tried)}, 0)
    WHEN NOT r.is_checked OR r.state = 'ready' THEN coalesce((
      SELECT sum(w.value::integer) FROM jsonb_each_text(r.written) w
    ), 0)
    WHEN r.written IS NULL OR r.state = 'done' THEN r.place
    ELSE r.created + r.changed + r.unchanged
  END`

/** A run as answers show it. */
export const runJson = sql`json_build_object(
    'id', r.id,
    'entity', r.entity_key,
    'user_id', r.user_id,
    'file_name', r.file_name,
    'state', r.state,
    'mode', r.plan ->> 'mode',
    'match', r.plan -> 'match',
    'all_or_nothing', r.all_or_nothing,
    'rows', r.rows,
    'faulty', r.faulty,
    'created', r.created,
    'changed', r.changed,
    'unchanged', r.unchanged,
    'done_rows', ${doneRows},
    'check_step', CASE WHEN r.state = 'checking' THEN least(r.place + 1, ${lastStep}) ELSE 0 END,
    'check_steps', ${lastStep},
    'error', r.error,
    'notes', r.plan -> 'notes',
    'columns', r.plan -> 'columns',
    'created_at', ${isoTime('r.created_at')},
    'updated_at', ${isoTime('r.updated_at')}
  )::text AS json`
