/** Writes one row of a run as the endpoint for one record would: why that refuses it is the fault of the row. */
import { type Connection, execute, queryRows } from '../database/pool.ts'
import { int, join, raw, ref, type Sql, sql, table } from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { defaultOf } from '../definitions/values/field-defaults.ts'
import { errorKinds } from '../error-kinds.ts'
import { ApiError } from '../errors.ts'
import { parseLosslessJson } from '../http/json/lossless-json.ts'
import { type Issue, shorten } from '../issues.ts'
import { jsonValue } from '../query/record-json.ts'
import { changeRecord, createRecord, type WrittenWith } from '../records/write/change-record.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import { withConflicts } from '../records/write/write-rejected.ts'
import type { Values } from '../records/write/write-statements.ts'
import { linesOn } from '../records/write-lines.ts'
import { type ImportColumn, isHistoryColumn } from './import-plan.ts'
import type { OpenRun } from './open-run.ts'
import {
  afterLacking,
  lackingText,
  type RowFault,
  sameRecordText,
  unmatchedText,
} from './row-fault.ts'
import {
  historyCells,
  inPlaces,
  isChangedBy,
  isUnresolved,
  longestShown,
  type PlacedFault,
  recordLine,
  resolvedRows,
  type Staged,
  type Written,
} from './staged-rows.ts'

type Row = {
  readonly n: number
  /** Of the file. */
  readonly line: number
  readonly match: number | null
  /** The values of the cells by column, without empty ones. */
  readonly json: string
  /** What links have that lead nowhere, by slot. */
  readonly lost: string
}

/** Writes the row of a place, in a transaction. */
export const writeSingleRow = async (
  connection: Connection,
  open: OpenRun,
  n: number,
  done: Written,
): Promise<void> => {
  const [row] = await readRows(connection, open, inPlaces([n]))
  if (!row) return
  const lists = await readLists(connection, open, row)
  const context = row.match === null ? open.creating : open.updating
  const wrong = [
    ...(context ? [] : [whole(`your role may not write this ${open.entity.key}`)]),
    ...modeFaults(open, row),
    ...linkFaults(open, row),
  ]
  const faults: PlacedFault[] = [
    ...wrong.map((fault) => ({ ...fault, n })),
    ...lists.flatMap(({ part, rows }) =>
      rows.flatMap((line) => linkFaults(part, line).map((fault) => ({ ...fault, n: line.n }))),
    ),
  ]
  if (context && faults.length === 0)
    try {
      const { became, id, lines } = await write(connection, open, context, { row, lists })
      if (became === 'unchanged') done.unchanged += 1
      else done[became].push(id)
      done.lines.push(...lines)
    } catch (error) {
      faults.push(...faultsOf(open, { row, lists }, error))
    }
  done.faults.push(...faults, ...ofSameRecord({ row, lists }, faults))
}

/** A fault of a row is one of all rows of its record. */
const ofSameRecord = (
  { row, lists }: RowsOfRecord,
  faults: readonly PlacedFault[],
): readonly PlacedFault[] => {
  const faulty = new Set(faults.map(({ n }) => n))
  const rows = new Map([row, ...lists.flatMap((one) => one.rows)].map(({ n, line }) => [n, line]))
  const [first] = [...rows].filter(([n]) => faulty.has(n)).map(([, line]) => line)
  if (first === undefined) return []
  const [before, after] = sameRecordText
  return [...rows.keys()]
    .filter((n) => !faulty.has(n))
    .map((n) => ({
      ...whole(`${before}${first}${after}`),
      rule: 'sameRecord',
      other_row: first,
      n,
    }))
}

/** The rows of a list that belong to a record. */
type RowsOfList = { readonly part: Staged; readonly rows: readonly Row[] }

const readLists = async (
  connection: Connection,
  { lists }: OpenRun,
  { line }: Row,
): Promise<readonly RowsOfList[]> => {
  const found: RowsOfList[] = []
  for (const part of lists) {
    const rows = await readRows(connection, part, sql`${recordLine('s')} = ${int(line)}`)
    found.push({ part, rows })
  }
  return found
}

const whole = (message: string): RowFault => ({ column: null, text: null, message })

const modeFaults = ({ plan, entity }: OpenRun, { match }: Row): readonly RowFault[] => {
  if (plan.mode === 'update' && match === null)
    return [{ ...whole(unmatchedText(entity, plan)), rule: 'unmatched' }]
  return []
}

const linkFaults = (open: Staged, { lost }: Row): readonly RowFault[] =>
  Object.entries(JSON.parse(lost) as Record<string, string>).flatMap(([slot, cell]) => {
    const text = shorten(cell, longestShown)
    const one = open.columns.find((column) => column.slot === slot)
    // The write itself says so of a link by its id, which may be the one that the record has.
    if (!one || one.path?.column.name === 'id') return []
    const message = `${lackingText(open, one)}${text}${afterLacking(one)}`
    return [{ column: one.head, text, message, rule: 'link' }]
  })

/** Rows in the order of the file; `which` is on the row `s`. */
const readRows = (connection: Connection, open: Staged, which: Sql): Promise<readonly Row[]> => {
  const members = open.columns.map((one) => {
    const value = raw(jsonValue({ alias: 'v', column: one.column }))
    const name = raw(`'${JSON.stringify(one.name)}:'`)
    const own = sql`CASE WHEN ${ref(one.name, 'v')} IS NOT NULL THEN ${name} || ${value}`
    return one.path?.column.name === 'id'
      ? sql`${own} WHEN ${cell(one)} IS NOT NULL THEN ${name} || ${cell(one)}::text END`
      : sql`${own} END`
  })
  const lost = open.columns
    .filter(({ path }) => path)
    .map(
      (one) =>
        sql`CASE WHEN ${isUnresolved(one, 'v')}
          THEN ${raw(`'"${one.slot}":'`)} || to_json(${cell(one)}::text)::text END`,
    )
  const object = (parts: readonly Sql[]) =>
    parts.length === 0 ? sql`'{}'` : sql`'{' || concat_ws(',', ${join(parts, ', ')}) || '}'`
  return queryRows<Row>(
    connection,
    sql`
      SELECT v._n AS n, v._line AS line, v._match AS match, ${object(members)} AS json, ${object(lost)} AS lost
      FROM ${resolvedRows(open, which)} v
      ORDER BY v._line`,
  )
}

const cell = ({ slot }: ImportColumn): Sql => raw(`v._cell_${slot}`)

const write = async (
  connection: Connection,
  open: OpenRun,
  context: WriteContext,
  { row, lists }: RowsOfRecord,
): Promise<Result> => {
  const body = bodyOf(open, row)
  const part = partOf(connection)
  if (row.match !== null) {
    const unchanged: Result = { id: row.match, became: 'unchanged', lines: [] }
    if (Object.keys(body).length === 0) return unchanged
    const target = { id: row.match, precondition: 'any' } as const
    const { isChanged } = await changeRecord(part, context, target, body)
    return isChanged ? { ...unchanged, became: 'changed' } : unchanged
  }
  return withConflicts({ database: connection, context }, () =>
    part.transact(async (within) => {
      const givenNumbers = numbersOf(open, row)
      const { lines, writtenWith } = linesOf(within, open, lists)
      const { id } = await createRecord(within, { ...context, givenNumbers }, body, writtenWith)
      await writeHistory(within, open, row.n, id)
      return { id, became: 'created', lines }
    }),
  )
}

/** The rows of a record with its lines. */
type RowsOfRecord = { readonly row: Row; readonly lists: readonly RowsOfList[] }

type Result = {
  readonly id: number
  readonly became: 'created' | 'changed' | 'unchanged'
  /** The records of lists that were created with it. */
  readonly lines: Written['lines']
}

/** How the lines of a record are written with it; `lines` has them afterwards. */
const linesOf = (
  connection: Connection,
  open: OpenRun,
  lists: readonly RowsOfList[],
): { readonly lines: Written['lines']; readonly writtenWith: WrittenWith | undefined } => {
  const lines: Written['lines'] = []
  const filled = lists.filter(({ rows }) => rows.length > 0)
  if (filled.length === 0) return { lines, writtenWith: undefined }
  const body = Object.fromEntries(
    filled.map(({ part, rows }) => [
      part.ofList?.list.field.key ?? '',
      { create: rows.map((row) => bodyOf(part, row)) },
    ]),
  )
  const writtenWith = linesOn(open, open.readLines(body), ({ key: entityKey }, id) => {
    lines.push({ entityKey, id })
  })(connection)
  return { lines, writtenWith }
}

/** A single write lets the service decide these; they follow in the same transaction. */
const writeHistory = async (
  connection: Connection,
  open: OpenRun,
  n: number,
  id: number,
): Promise<void> => {
  const cells = historyCells(open)
  if (cells.length === 0) return
  if (cells.some(({ column }) => column.name === 'id'))
    throw new RowRefused('cannot be written with its id')
  const sets = cells.map(({ column, value }) => sql`${ref(column.name)} = ${value}`)
  await execute(
    connection,
    sql`
      UPDATE ${table(open.entity)} t
      SET ${join(sets, ', ')}
      FROM ${resolvedRows(open, inPlaces([n]))} v
      WHERE t.id = ${int(id)}`,
  )
}

class RowRefused extends Error {}

/** The body of the request that would write the row. */
const bodyOf = (open: Staged, { match, json }: Row): Record<string, unknown> => {
  const { emptyCells } = open.plan
  const { catalog, timeZone } = open.context
  const calendar = { timeZone, firstDayOfWeek: catalog.firstDayOfWeek }
  const given = parseLosslessJson(json) as Readonly<Record<string, unknown>>
  const body: Record<string, unknown> = {}
  for (const { name, column } of open.columns) {
    if (match === null ? isHistoryColumn(column) || column.series : !isChangedBy(open, column))
      continue
    if (name in given) body[name] = given[name]
    else if (emptyCells === 'clear') body[name] = null
    else if (emptyCells === 'default' && match !== null)
      body[name] = toJson(column, defaultOf(column, calendar))
  }
  return body
}

/** The numbers of series that the row gives a new record. */
const numbersOf = ({ columns }: OpenRun, { json }: Row): Values => {
  const given = JSON.parse(json) as Readonly<Record<string, SqlValue>>
  return new Map(
    columns.flatMap(({ name, column }) =>
      column.series && name in given ? [[column, given[name] ?? null] as const] : [],
    ),
  )
}

const toJson = ({ type }: ImportColumn['column'], value: SqlValue): unknown =>
  value === null ? null : type.toJson(value)

const faultsOf = (
  open: OpenRun,
  { row, lists }: RowsOfRecord,
  error: unknown,
): readonly PlacedFault[] => {
  const { n } = row
  if (error instanceof RowRefused) return [{ ...whole(error.message), n }]
  if (!(error instanceof ApiError) || errorKinds[error.code].status >= 500) throw error
  if (error.errors.length === 0) return [{ ...whole(error.message), n }]
  return error.errors.map((issue) => {
    const [, list, at, path = ''] = lineIssue.exec(issue.path) ?? []
    const found = lists.find(({ part }) => part.ofList?.list.field.key === list)
    const line = found?.rows[Number(at)]
    return found && line
      ? { ...faultOf(found.part, { code: error.code, ...issue, path }), n: line.n }
      : { ...faultOf(open, { code: error.code, ...issue }), n }
  })
}

/** `lines.create[2].quantity` */
const lineIssue = /^(\w+)\.create\[(\d+)\](?:\.(.+))?$/

const faultOf = ({ columns }: Staged, { path, message, combination, code }: Issue): RowFault => {
  const headOf = (name: string) => columns.find((one) => one.name === name)?.head
  // Of several files the path names one: `photos[1]`.
  const head = headOf(path.split('[', 1)[0] ?? '')
  if (head !== undefined)
    return {
      column: head,
      text: null,
      message,
      ...(code === 'record.conflict' && { rule: 'unique' }),
      ...(combination && { columns: combination.map((name) => headOf(name) ?? name) }),
    }
  return whole(path === '' ? message : `"${path}" ${message}`)
}
