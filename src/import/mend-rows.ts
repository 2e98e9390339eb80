/** The rows of a run that have faults, and correcting their cells: what is corrected is read as if the file had it. */
import type { Caller } from '../auth/caller.ts'
import { type Pool, type Queryable, queryOnce, queryRow } from '../database/pool.ts'
import { int, join, json, nothing, raw, type Sql, sql, text } from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { apiError, validationError } from '../errors.ts'
import { indexedBytesOf } from '../records/write/check-values.ts'
import { cellColumnOf, columnsOfPlan, type ImportColumn } from './import-plan.ts'
import { type PlanningDeps, projectOf } from './import-request.ts'
import { definitionsDigest } from './open-run.ts'
import { type GivenColumns, type MappedColumn, mapHeads } from './read/mapping.ts'
import { emptyCell } from './read/sheet.ts'
import { cellResult, type RowFault, readFault } from './row-fault.ts'
import {
  changeRun,
  type FaultyRow,
  faultsOf,
  faultyRows,
  viewerOf,
  wrongState,
} from './run-list.ts'
import { enqueueRun, type ImportRun, noCounts, updateRun } from './run-store.ts'
import { inPlaces, isToBeDone, leaveFaulty, recordLine, stagedTable } from './staged-rows.ts'

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
  const rows = await faultyRows(database, run.id, page.after, page.limit)
  const last = rows.at(-1)
  const positions = positionsOf(run)
  const places = rows.map(({ n }) => n)
  const alike = rows.length === 0 ? new Map() : await countAlike(database, run, places)
  return {
    heads: [...run.plan.heads],
    data: rows.map((row) => describeRow(row, positions, alike)),
    next: last?.has_next ? last.n : null,
  }
}

const describeRow = (row: FaultyRow, positions: ReadonlyMap<string, number>, alike: Alike) => {
  const cells = JSON.parse(row.cells) as Cells
  return {
    row: row.line,
    cells: [...cells],
    faults: faultsOf(row).map(({ text: _, ...fault }) => {
      const { column } = fault
      const position = column === null ? undefined : positions.get(column)
      const cell = position === undefined ? null : (cells[position] ?? null)
      return {
        ...fault,
        alike: column === null ? 1 : (alike.get(alikeKey(column, cell)) ?? 1),
      }
    }),
  }
}

/** The cell of a row at a position, as JSON; an empty one is null there. */
const cellAt = (position: Sql): Sql => sql`coalesce(s.cells::jsonb -> ${position}, 'null')`

/** The cells that have faults: `n` of their row, `head`, and the `cell` as JSON. */
const faultyCells = (run: ImportRun, which: Sql): Sql => {
  const positions = text(JSON.stringify(Object.fromEntries(positionsOf(run))))
  const head = sql`f.value ->> 'column'`
  return sql`
    SELECT s.n, ${head} AS head, ${cellAt(sql`(${positions}::jsonb ->> (${head}))::integer`)} AS cell
    FROM ${stagedTable(run.id)} s, jsonb_array_elements(s.fault) f
    WHERE s.fault IS NOT NULL AND ${which} AND ${head} IS NOT NULL`
}

/** Of the cells of these rows alone: a file may have as many that are alike as it has rows. */
const countAlike = async (
  database: Queryable,
  run: ImportRun,
  places: readonly number[],
): Promise<Alike> => {
  const rows = await queryOnce<{ head: string; cell: string | null; rows: number }>(
    database,
    sql`
      SELECT f.head, f.cell #>> '{}' AS cell, count(*)::integer AS rows
      FROM (${faultyCells(run, sql`true`)}) f
      WHERE (f.head, f.cell) IN (SELECT p.head, p.cell FROM (${faultyCells(run, inPlaces(places))}) p)
      GROUP BY 1, 2
      HAVING count(*) > 1`,
  )
  return new Map(rows.map(({ head, cell, rows: count }) => [alikeKey(head, cell), count]))
}

/** What a cell is to have: of one row, or also of all rows with a fault there that have the same. */
export type Correction = {
  readonly row: number
  /** Its head. */
  readonly column: string
  readonly text: string
  readonly alike?: boolean
}

/**
 * Corrects cells of a run that waits for its start, or of rows that one has left, and has these rows checked again; throws
 * import.wrong-state.
 */
export const mendRun = (
  deps: PlanningDeps & { readonly pool: Pool },
  caller: Caller,
  id: number,
  corrections: readonly Correction[],
): Promise<void> =>
  changeRun(deps.pool, viewerOf(deps, caller), id, (connection) => async (run) => {
    const hasLeft = run.state === 'done' && run.faulty > 0
    if (run.state !== 'ready' && !hasLeft)
      throw wrongState(run, 'only one that is ready, or has left rows with faults, is corrected')
    if (hasLeft) await leaveFaulty(connection, id)
    const isRest = hasLeft || run.written !== null
    await correct(connection, { run, isRest }, cellsOf(deps, caller, run, corrections))
    const { created, changed, unchanged } = run
    await updateRun(connection, id, {
      state: 'checking',
      place: 0,
      isChecked: false,
      writes: false,
      counts: noCounts,
      error: null,
      ...(hasLeft && { written: { created, changed, unchanged } }),
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
  if (!entity || !columns || definitionsDigest(deps.catalog, entity, columns) !== run.digest)
    throw wrongState(run, 'the definitions have changed since the file was read; send it again')
  const { heads, format, reading } = run.plan
  const given: Record<string, GivenColumns[string]> = Object.fromEntries(
    heads.map((head) => [head, null]),
  )
  for (const [at, { head, decimal, dates }] of columns.entries()) {
    const { timeZone: _, ...one } = reading[at] ?? { field: '', timeZone: '' }
    given[head] = { decimal, dates, ...one }
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
      const indexedBytes = indexedBytesOf(planned.list?.target ?? entity, planned.column)
      return [[planned.head, { planned, mapped: { ...mapped, timeZone, indexedBytes } }]]
    }),
  )
}

/** A correction with what it gives the row, as the statement reads it. */
type CorrectedCell = {
  /** Of several corrections of a cell, the last one holds. */
  readonly place: number
  readonly line: number
  readonly head: string
  readonly position: number
  readonly slot: string
  /** Whether lines have it, and not the record of the row. */
  readonly of_list: boolean
  readonly alike: boolean
  readonly cell: string | null
  readonly value: SqlValue
  readonly fault: RowFault | null
}

type Corrected = {
  readonly cells: readonly CorrectedCell[]
  readonly columns: readonly ImportColumn[]
}

/** What corrections give; throws request.invalid. */
const cellsOf = (
  deps: PlanningDeps,
  caller: Caller,
  run: ImportRun,
  corrections: readonly Correction[],
): Corrected => {
  const columns = readableColumns(deps, caller, run)
  const cells = corrections.map(({ row, column, text: sent, alike = false }, place) => {
    // PostgreSQL keeps no half of a character.
    const given = sent.toWellFormed()
    const found = columns.get(column)
    if (!found)
      throw validationError('request.invalid', [
        { path: `corrections.${place}.column`, message: 'is no column that is imported' },
      ])
    const { planned, mapped } = found
    const result = cellResult(mapped, given === '' ? emptyCell : { text: given, kind: 'text' })
    const isFault = 'fault' in result
    return {
      place,
      line: row,
      head: planned.head,
      position: planned.position,
      slot: planned.slot,
      of_list: planned.list !== undefined,
      alike,
      cell: given === '' ? null : given,
      value: isFault ? null : result.value,
      fault: isFault ? readFault(column, given, result) : null,
    }
  })
  const named = new Set(cells.map(({ head }) => head))
  const given = [...columns.values()].map(({ planned }) => planned)
  return { cells, columns: given.filter(({ head }) => named.has(head)) }
}

/** Corrects all cells by one statement, whose cost is that of reading the rows once. */
const correct = async (
  connection: Queryable,
  { run, isRest }: { readonly run: ImportRun; readonly isRest: boolean },
  { cells, columns }: Corrected,
): Promise<void> => {
  const staged = stagedTable(run.id)
  const which = isToBeDone({ isRest })
  const values = columns.map((one) => {
    const slot = raw(one.slot)
    const name = text(one.slot)
    const { cast } = cellColumnOf(one).type
    return sql`${slot} = CASE WHEN m.vals ? ${name} THEN (m.vals ->> ${name})::${raw(cast)} ELSE s.${slot} END`
  })
  // Further rows of a record repeat its cells: they are corrected with it, so that they stay rows of the same record.
  const repeated = run.plan.columns.some(({ list }) => list)
    ? sql`
        UNION ALL
        SELECT r.n, g.*
        FROM meant m
        JOIN given g ON g.place = m.place AND NOT g.of_list
        JOIN ${staged} s ON s.n = m.n
        JOIN ${staged} r ON ${recordLine('r')} = ${recordLine('s')} AND r.n <> s.n
        WHERE r.cells::jsonb -> g.position = s.cells::jsonb -> g.position`
    : nothing
  const lost = await queryRow<{ line: number }>(
    connection,
    sql`
      WITH given AS (
        SELECT g.*
        FROM jsonb_to_recordset(${json(cells)}::jsonb) AS g (place integer, line integer, head text,
          position integer, slot text, of_list boolean, alike boolean, cell jsonb, value jsonb, fault jsonb)
      ), named AS (
        SELECT g.place, g.head, g.alike, s.n, ${cellAt(sql`g.position`)} AS cell
        FROM given g JOIN ${staged} s ON s.line = g.line
        WHERE ${which}
      ), alike AS (
        SELECT DISTINCT ON (d.head, d.cell) d.*
        FROM named d
        WHERE d.alike
        ORDER BY d.head, d.cell, d.place DESC
      ), meant AS (
        SELECT d.n, g.*
        FROM named d JOIN given g ON g.place = d.place
        UNION ALL
        SELECT f.n, g.*
        FROM alike d
        JOIN given g ON g.place = d.place
        JOIN (${faultyCells(run, which)}) f ON f.head = d.head AND f.cell = d.cell
      ), last AS (
        SELECT DISTINCT ON (m.n, m.position) m.*
        FROM (SELECT * FROM meant${repeated}) m
        ORDER BY m.n, m.position, m.place DESC
      ), mended AS (
        SELECT l.n, jsonb_object_agg(l.position, l.cell) AS cells, jsonb_object_agg(l.slot, l.value) AS vals,
          array_agg(l.head) AS heads, jsonb_agg(l.fault) FILTER (WHERE l.fault IS NOT NULL) AS faults
        FROM last l
        GROUP BY l.n
      ), changed AS (
        UPDATE ${staged} s
        SET cells = (
            SELECT jsonb_agg(coalesce(m.cells -> i::text, s.cells::jsonb -> i, 'null') ORDER BY i)
            FROM generate_series(0, ${int(run.plan.heads.length - 1)}) i
          )::text,
          ${join(values, ', ')},
          fault = nullif(coalesce((
            SELECT jsonb_agg(f.value)
            FROM jsonb_array_elements(s.fault) f
            WHERE f.value ? 'isRead' AND (f.value ->> 'column' = ANY (m.heads)) IS NOT TRUE
          ), '[]') || coalesce(m.faults, '[]'), '[]')
        FROM mended m
        WHERE m.n = s.n
      )
      SELECT g.line
      FROM given g
      WHERE NOT EXISTS (SELECT FROM named d WHERE d.place = g.place)
      LIMIT 1`,
  )
  if (lost)
    throw apiError('import.unknown', `The import has no row ${lost.line} that can be corrected.`)
}
