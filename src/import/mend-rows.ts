/** The rows of a run that have faults, and correcting their cells: what is corrected is read as if the file had it. */
import type { Caller } from '../auth/caller.ts'
import { type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import { bound, int, json, raw, type Sql, sql, text } from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import { apiError, validationError } from '../errors.ts'
import { indexedBytesOf } from '../records/write/check-values.ts'
import { cellResult } from './cell-result.ts'
import { cellColumnOf, columnsOfPlan, type ImportColumn } from './import-plan.ts'
import { type PlanningDeps, projectOf } from './import-request.ts'
import { definitionsDigest } from './open-run.ts'
import { type GivenColumns, type MappedColumn, mapHeads } from './read/mapping.ts'
import { emptyCell } from './read/sheet.ts'
import {
  changeRun,
  type FaultyRow,
  faultsOf,
  faultyRows,
  viewerOf,
  wrongState,
} from './run-list.ts'
import { enqueueRun, type ImportRun, updateRun } from './run-store.ts'
import { stagedTable } from './staged-rows.ts'

type Cells = readonly (string | null)[]

/** How many rows with a fault have the same in a column, by its head and what they have. */
type Alike = ReadonlyMap<string, number>

const alikeKey = (column: string, cell: string | null) => JSON.stringify([column, cell])

const positionsOf = ({ plan }: ImportRun) =>
  new Map(plan.columns.map(({ head, position }) => [head, position]))

/** A page of the faulty rows, each with all its cells. */
export const faultyPage = async (
  database: Queryable,
  run: ImportRun,
  page: { readonly after: number; readonly limit: number },
) => {
  const rows = await faultyRows(database, run.id, page.after, page.limit + 1)
  const shown = rows.slice(0, page.limit)
  const positions = positionsOf(run)
  const alike = shown.length === 0 ? new Map() : await countAlike(database, run)
  return {
    heads: [...run.plan.heads],
    data: shown.map((row) => describeRow(row, positions, alike)),
    next: rows.length > shown.length ? (shown.at(-1)?.n ?? null) : null,
  }
}

const describeRow = (row: FaultyRow, positions: ReadonlyMap<string, number>, alike: Alike) => {
  const cells = JSON.parse(row.cells) as Cells
  return {
    row: row.line,
    cells: [...cells],
    faults: faultsOf(row).map(({ column, message }) => {
      const position = column === null ? undefined : positions.get(column)
      const cell = position === undefined ? null : (cells[position] ?? null)
      return {
        column,
        message,
        alike: column === null ? 1 : (alike.get(alikeKey(column, cell)) ?? 1),
      }
    }),
  }
}

const countAlike = async (database: Queryable, run: ImportRun): Promise<Alike> => {
  const positions = JSON.stringify(Object.fromEntries(positionsOf(run)))
  const rows = await queryOnce<{ head: string; cell: string | null; rows: number }>(
    database,
    sql`
      SELECT f.value ->> 'column' AS head,
        s.cells::jsonb ->> (${text(positions)}::jsonb ->> (f.value ->> 'column'))::integer AS cell,
        count(*)::integer AS rows
      FROM ${stagedTable(run.id)} s, jsonb_array_elements(s.fault) f
      WHERE s.fault IS NOT NULL AND f.value ->> 'column' IS NOT NULL
      GROUP BY 1, 2
      HAVING count(*) > 1`,
  )
  return new Map(rows.map(({ head, cell, rows: count }) => [alikeKey(head, cell), count]))
}

/** What a cell is to have: of one row, or of all rows with a fault that have the same as it there. */
export type Correction = {
  readonly row: number
  /** Its head. */
  readonly column: string
  readonly text: string
  readonly alike?: boolean
}

/** Corrects cells of a run that waits for its start, and has it checked again; throws import.wrong-state. */
export const mendRun = (
  deps: PlanningDeps & { readonly pool: Pool },
  caller: Caller,
  id: number,
  corrections: readonly Correction[],
): Promise<void> =>
  changeRun(deps.pool, viewerOf(deps, caller), id, (connection) => async (run) => {
    if (run.state !== 'ready') throw wrongState(run, 'only one that is ready is corrected')
    const columns = readableColumns(deps, caller, run)
    for (const [at, one] of corrections.entries()) {
      const column = columns.get(one.column)
      if (!column)
        throw validationError('request.invalid', [
          { path: `corrections.${at}.column`, message: 'is no column that is imported' },
        ])
      await correct(connection, run, column, one)
    }
    await forgetChecks(connection, id)
    const none = { created: 0, changed: 0, unchanged: 0 }
    await updateRun(connection, id, {
      state: 'checking',
      place: 0,
      isChecked: false,
      writes: false,
      counts: none,
      error: null,
    })
    await enqueueRun(connection, id)
  })

type Readable = {
  readonly planned: ImportColumn
  readonly mapped: MappedColumn & { readonly indexedBytes: number }
}

/** The columns as they were when the file was read, by their heads. */
const readableColumns = (
  deps: PlanningDeps,
  caller: Caller,
  run: ImportRun,
): ReadonlyMap<string, Readable> => {
  const entity = deps.catalog.entities.get(run.entity_key)
  const columns = entity && columnsOfPlan(deps.catalog, entity, run.plan)
  if (!entity || !columns || definitionsDigest(deps.catalog, entity) !== run.digest)
    throw wrongState(run, 'the definitions have changed since the file was read; send it again')
  const { heads, format, reading } = run.plan
  const given: Record<string, GivenColumns[string]> = Object.fromEntries(
    heads.map((head) => [head, null]),
  )
  for (const [at, { head }] of columns.entries()) {
    const { timeZone: _, ...one } = reading[at] ?? { field: '', timeZone: '' }
    given[head] = one
  }
  const project = projectOf(deps, caller)
  const own: Entity = project.catalog.entities.get(entity.key) ?? entity
  const dialect = {
    format,
    encoding: undefined,
    separator: undefined,
    decimal: undefined,
    dates: undefined,
    sheet: undefined,
    notes: [],
  }
  const mapping = mapHeads(project, own, { heads, sample: [], dialect }, given)
  return new Map(
    columns.flatMap((planned, at) => {
      const mapped = mapping.columns.find(({ position }) => position === planned.position)
      if (!mapped) return []
      const timeZone = reading[at]?.timeZone ?? mapped.timeZone
      const indexedBytes = indexedBytesOf(entity, planned.column)
      return [[planned.head, { planned, mapped: { ...mapped, timeZone, indexedBytes } }]]
    }),
  )
}

const correct = async (
  connection: Queryable,
  run: ImportRun,
  { planned, mapped }: Readable,
  { row, column, text: written, alike = false }: Correction,
): Promise<void> => {
  const cell = written === '' ? emptyCell : ({ text: written, kind: 'text' } as const)
  const result = cellResult(mapped, cell)
  const faults =
    'fault' in result ? [{ column, text: written, message: result.fault, isRead: true }] : []
  const value = 'fault' in result ? null : result.value
  const staged = stagedTable(run.id)
  const { cast } = cellColumnOf(planned).type
  const at = int(planned.position)
  const cellOf = (alias: string): Sql => sql`${raw(`${alias}.cells`)}::jsonb ->> ${at}`
  const isMeant = alike
    ? sql`s.fault IS NOT NULL AND (${cellOf('s')}) IS NOT DISTINCT FROM (
        SELECT ${cellOf('o')} FROM ${staged} o WHERE o.line = ${int(row)} ORDER BY o.n LIMIT 1
      )`
    : sql`s.line = ${int(row)}`
  const rows = await queryOnce(
    connection,
    sql`
      UPDATE ${staged} s
      SET cells = (
          SELECT jsonb_agg(CASE WHEN i = ${at} THEN ${
            written === '' ? sql`'null'::jsonb` : sql`to_jsonb(${text(written)})`
          } ELSE coalesce(s.cells::jsonb -> i, 'null') END ORDER BY i)
          FROM generate_series(0, ${int(run.plan.heads.length - 1)}) i
        )::text,
        ${raw(planned.slot)} = ${bound(value, cast)},
        fault = nullif(coalesce((
          SELECT jsonb_agg(f.value)
          FROM jsonb_array_elements(s.fault) f
          WHERE f.value ? 'isRead' AND f.value ->> 'column' IS DISTINCT FROM ${text(column)}
        ), '[]') || ${json(faults)}::jsonb, '[]')
      WHERE ${isMeant}
      RETURNING s.n`,
  )
  if (rows.length === 0) throw apiError('import.unknown', `The import has no row ${row}.`)
}

/** What reading found stays; all else is found again. */
const forgetChecks = async (connection: Queryable, id: number): Promise<void> => {
  await queryOnce(
    connection,
    sql`
      UPDATE ${stagedTable(id)} s
      SET fault = (
        SELECT jsonb_agg(f.value) FROM jsonb_array_elements(s.fault) f WHERE f.value ? 'isRead'
      )
      WHERE s.fault IS NOT NULL`,
  )
}
