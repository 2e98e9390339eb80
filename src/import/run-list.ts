/** Runs for the people who see them, their user and administrators, and how they are described to them. */
import type { Origin } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { type Pool, type Queryable, queryOnce, queryRow, queryRows } from '../database/pool.ts'
import { compactJson } from '../database/row-types.ts'
import { bigint, int, type Sql, sql, text, texts } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { importModes } from '../definitions/schemas/import-definition.ts'
import { apiError } from '../errors.ts'
import { component, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { auditAsked, auditEnd } from './audit-run.ts'
import type { ImportDeps } from './open-run.ts'
import { faultRules, type RowFault } from './row-fault.ts'
import {
  enqueueRun,
  type ImportRun,
  importRows,
  lockRun,
  noCounts,
  runJson,
  runStates,
  updateRun,
} from './run-store.ts'
import { dropStaged, stagedTable } from './staged-rows.ts'

const count = { type: 'integer', minimum: 0 } as const
const textOrNull = { type: ['string', 'null'] } as const
const time = { type: 'string', format: 'date-time' } as const

export const run = component(
  'ImportRun',
  objectOf({
    id: { type: 'integer' },
    entity: { type: 'string' },
    user_id: { type: 'integer' },
    file_name: textOrNull,
    state: {
      type: 'string',
      enum: runStates,
      description:
        '`ready`: checked, and waits for its start. `stopped`: a start goes on where it was.',
    },
    mode: { type: 'string', enum: importModes },
    match: { type: 'array', items: { type: 'string' } },
    all_or_nothing: { type: 'boolean' },
    rows: { ...count, description: 'Rows of the file that are read.' },
    faulty: { ...count, description: 'Rows with a fault.' },
    created: {
      ...count,
      description: 'Of a run that is ready: what it would create; as `changed` and `unchanged`.',
    },
    changed: count,
    unchanged: count,
    done_rows: {
      ...count,
      description:
        'Rows of the batches that are committed; while it is checked, those that its last step has tried to write.',
    },
    check_step: { ...count, description: 'While it is checked: the step, from 1; otherwise 0.' },
    check_steps: { ...count, description: 'How many steps the check has.' },
    error: { ...textOrNull, description: 'Why it has stopped or failed.' },
    notes: {
      type: 'array',
      items: { type: 'string' },
      description: 'What the file was taken for.',
    },
    columns: {
      type: 'array',
      description: 'The columns of the file that are imported.',
      items: {
        type: 'object',
        properties: {
          head: { type: 'string' },
          list: { type: 'string', description: 'The one-to-many field whose records have it.' },
          name: { type: 'string' },
          link: { type: 'string' },
          decimal: { type: 'string', enum: ['.', ','], description: 'In its numbers.' },
          dates: { type: 'string', enum: ['YMD', 'DMY', 'MDY'], description: 'Of its days.' },
        },
        required: ['head', 'name'],
      },
    },
    created_at: time,
    updated_at: time,
  }),
)

export type ImportRunAnswer = ValueOf<typeof run>

/** What an answer says of a fault; of it `column` and `message` are always there. */
export const faultParts = {
  column: { ...textOrNull, description: 'Its head; null: the whole row.' },
  message: { type: 'string' },
  rule: {
    type: 'string',
    enum: faultRules,
    description:
      '`malformed`: the cell is no value of its field. `refused`: it breaks a rule of the field. `link`: it leads to no record that the caller may read. `unmatched`: no such record is to be changed. `unique`: another record has it. `repeated`: an earlier row has it. `leadsToFault`, `leadsBack`: it leads to another row of the file. `sameRecord`: another row of its record has a fault.',
  },
  value: { type: 'string', description: 'Of `refused`, unless it is a text: as what it was read.' },
  columns: {
    type: 'array',
    items: { type: 'string' },
    description: 'Of `unique` and `repeated`: heads of columns that are unique together.',
  },
  other_row: {
    ...count,
    description:
      'Of `repeated`: the row that has the same. Of `leadsToFault`: the row that it leads to. Of `sameRecord`: the row that has a fault.',
  },
} as const

export const unknownRun = (id: number | string) =>
  apiError('import.unknown', `There is no import ${id} that you may see.`)

/** Who sees which runs: those of entities into which they import. */
export type Viewer = { readonly caller: Caller; readonly entityKeys: readonly string[] }

/** Their own; administrators see all. */
export const viewerOf = (
  { catalog, permissions }: Pick<ImportDeps, 'catalog' | 'permissions'>,
  caller: Caller,
): Viewer => {
  const imported = [...catalog.entities.values()].filter(
    (entity) => permissions.rightsOf(caller, entity).import !== false,
  )
  return { caller, entityKeys: imported.map(({ key }) => key) }
}

const isSeenBy = ({ caller: { roleKey, userId }, entityKeys }: Viewer): Sql =>
  roleKey === administratorRole
    ? sql`true`
    : sql`(r.user_id = ${int(userId)} AND r.entity_key = ANY (${texts(entityKeys)}))`

/** A page of runs as JSON, the newest first. */
export const listRuns = async (
  database: Queryable,
  caller: Viewer,
  page: { readonly limit: number; readonly offset: number },
): Promise<string[]> => {
  const rows = await queryRows<{ json: string }>(
    database,
    sql`
      SELECT ${runJson}
      FROM docket.import_run r
      WHERE ${isSeenBy(caller)}
      ORDER BY r.id DESC
      LIMIT ${bigint(page.limit)} OFFSET ${bigint(page.offset)}`,
  )
  return rows.map(({ json }) => compactJson(json))
}

/** One run as JSON; throws import.unknown. */
export const showRun = async (database: Queryable, caller: Viewer, id: number): Promise<string> => {
  const row = await queryRow<{ json: string }>(
    database,
    sql`
      SELECT ${runJson}
      FROM docket.import_run r
      WHERE r.id = ${int(id)} AND ${isSeenBy(caller)}`,
  )
  if (!row) throw unknownRun(id)
  return compactJson(row.json)
}

export type FaultyRow = {
  readonly n: number
  readonly line: number
  /** JSON: the cells of the row as they are in the file. */
  readonly cells: string
  /** JSON. */
  readonly fault: string
  /** Whether others follow. */
  readonly has_next: boolean
}

/** Of the cells and faults that are read at once; a row may have megabytes. */
const pageBytes = 4_000_000

/** Rows with faults after a place, in their order: as many as are asked for, unless they are too large together. */
export const faultyRows = async (
  database: Queryable,
  id: number,
  after: number,
  limit: number,
): Promise<FaultyRow[]> => {
  try {
    return await queryOnce<FaultyRow>(
      database,
      sql`
        SELECT p.n, p.line, p.cells, p.fault, p.has_next
        FROM (
          SELECT s.n, s.line, s.cells, s.fault, row_number() OVER ordered AS number,
            lead(s.n) OVER ordered IS NOT NULL AS has_next,
            sum(octet_length(s.cells) + octet_length(s.fault::text)) OVER ordered AS bytes
          FROM ${stagedTable(id)} s
          WHERE s.fault IS NOT NULL AND s.n > ${int(after)}
          WINDOW ordered AS (ORDER BY s.n)
          ORDER BY s.n
          LIMIT ${int(limit + 1)}
        ) p
        WHERE p.number <= ${int(limit)} AND (p.number = 1 OR p.bytes < ${int(pageBytes)})
        ORDER BY p.n`,
    )
  } catch (error) {
    // Before its file is read, and after all rows are written, a run has no table.
    if ((error as { code?: unknown }).code === '42P01') return []
    throw error
  }
}

export const faultsOf = ({ fault }: Pick<FaultyRow, 'fault'>): readonly ShownFault[] =>
  (JSON.parse(fault) as RowFault[]).map(({ isRead: _, ...shown }) => shown)

type ShownFault = Omit<RowFault, 'isRead'>

type Change = (run: ImportRun) => Promise<void>

/** Changes a run in a transaction of its own; throws import.unknown. */
export const changeRun = (
  pool: Pool,
  caller: Viewer,
  id: number,
  change: (connection: Queryable) => Change,
): Promise<void> =>
  transaction(pool, async (connection) => {
    await showRun(connection, caller, id)
    const run = await lockRun(connection, id)
    if (!run) throw unknownRun(id)
    await change(connection)(run)
  })

export const wrongState = ({ id, state }: ImportRun, message: string) =>
  apiError('import.wrong-state', `The import ${id} is "${state}": ${message}.`)

/** How many rows have faults, as the beginning of a sentence. */
export const rowsWithFaults = (count: number): string =>
  count === 1 ? '1 row has a fault' : `${count} rows have faults`

/** Writes a run that is checked, or goes on with one that was stopped. */
export const startRun = (
  pool: Pool,
  viewer: Viewer,
  id: number,
  { allOrNothing, origin }: { readonly allOrNothing: boolean | undefined; readonly origin: Origin },
): Promise<void> =>
  changeRun(pool, viewer, id, (connection) => async (run) => {
    if (run.state !== 'ready' && run.state !== 'stopped')
      throw wrongState(run, 'only one that is ready or stopped is started')
    const isWhole = allOrNothing ?? run.all_or_nothing
    if (run.is_checked && isWhole && run.faulty > 0 && run.place === 0)
      throw wrongState(
        run,
        `${rowsWithFaults(run.faulty)}; with allOrNothing=false the others are written`,
      )
    await updateRun(connection, id, {
      state: run.is_checked ? 'writing' : 'checking',
      // A dry run that was stopped goes on as one.
      writes: run.is_checked || run.writes,
      allOrNothing: isWhole,
      error: null,
      ...(run.state === 'ready' && { place: 0, counts: run.written ?? noCounts }),
    })
    await auditAsked(connection, { caller: viewer.caller, origin }, 'beginImport', run)
    await enqueueRun(connection, id)
  })

/** Stops a run after the step or the batch that is running. */
export const stopRun = (pool: Pool, caller: Viewer, id: number): Promise<void> =>
  changeRun(pool, caller, id, (connection) => async (run) => {
    if (run.state !== 'checking' && run.state !== 'writing')
      throw wrongState(run, 'only one that is being checked or written is stopped')
    await updateRun(connection, id, { state: 'stopped', error: null })
  })

/** Removes a run with its rows; what it has written stays. */
export const removeRun = (pool: Pool, caller: Viewer, id: number): Promise<void> =>
  changeRun(pool, caller, id, (connection) => async (run) => {
    if (run.state === 'checking' || run.state === 'writing') throw wrongState(run, 'stop it first')
    if (run.state === 'undoing') throw wrongState(run, 'wait for its end')
    await dropStaged(connection, id)
    await queryOnce(connection, sql`DELETE FROM docket.import_run r WHERE r.id = ${int(id)}`)
  })

const keptDays = 7

/** Ends runs whose reader or job has ended, and removes those that have waited for days, with their rows. */
export const sweepImports = async (pool: Pool): Promise<void> => {
  const failed = await queryOnce<{ id: number }>(
    pool,
    sql`
      UPDATE docket.import_run r
      SET state = 'failed', updated_at = now(),
        error = 'The process that read the file has ended: send the file again.'
      WHERE r.state = 'reading' AND r.updated_at < now() - interval '2 minutes'
      RETURNING r.id`,
  )
  const stopped = await queryOnce<{ id: number }>(
    pool,
    sql`
      UPDATE docket.import_run r
      SET state = CASE r.state WHEN 'undoing' THEN 'undone' ELSE 'stopped' END, updated_at = now(),
        error = 'It was interrupted too often: start it again.'
      WHERE r.state IN ('checking', 'writing', 'undoing') AND r.updated_at < now() - interval '2 minutes'
        AND NOT EXISTS (
          SELECT FROM docket.job j
          WHERE j.kind = ${text(importRows.name)} AND j.status <> 'dead'
            AND (j.payload ->> 'import_id')::integer = r.id
        )
      RETURNING r.id`,
  )
  for (const { id } of [...failed, ...stopped]) await auditEnd(pool, id)
  const old = await queryOnce<{ id: number }>(
    pool,
    sql`
      DELETE FROM docket.import_run r
      WHERE r.state NOT IN ('reading', 'checking', 'writing', 'undoing')
        AND r.updated_at < now() - make_interval(days => ${int(keptDays)})
      RETURNING r.id`,
  )
  const lost = await queryOnce<{ id: number }>(
    pool,
    sql`
      SELECT substring(c.relname FROM 8)::integer AS id
      FROM pg_class c
      WHERE c.relnamespace = 'docket'::regnamespace AND c.relkind = 'r' AND c.relname ~ '^import_[0-9]{1,9}$'
        AND NOT EXISTS (
          SELECT FROM docket.import_run r WHERE r.id = substring(c.relname FROM 8)::integer
        )`,
  )
  for (const { id } of [...old, ...lost]) await dropStaged(pool, id)
}
