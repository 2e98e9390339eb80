/** Writes one row of a run as the endpoint for one record would: why that refuses it is the fault of the row. */
import { type Connection, execute, queryRow } from '../database/pool.ts'
import { int, join, raw, ref, type Sql, sql, table } from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { defaultOf } from '../definitions/values/field-defaults.ts'
import { errorKinds } from '../error-kinds.ts'
import { ApiError } from '../errors.ts'
import { parseLosslessJson } from '../http/json/lossless-json.ts'
import { shorten } from '../issues.ts'
import { jsonValue } from '../query/record-json.ts'
import { changeRecord, createRecord } from '../records/write/change-record.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import { withConflicts } from '../records/write/write-rejected.ts'
import type { Values } from '../records/write/write-statements.ts'
import { type ImportColumn, isHistoryColumn } from './import-plan.ts'
import type { OpenRun } from './open-run.ts'
import { afterLacking, lackingText, type RowFault, unmatchedText } from './row-fault.ts'
import {
  historyCells,
  inPlaces,
  isChangedBy,
  isUnresolved,
  longestShown,
  resolvedRows,
  type Written,
} from './staged-rows.ts'

type Row = {
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
  const row = await readRow(connection, open, n)
  if (!row) return
  const context = row.match === null ? open.creating : open.updating
  const faults = context ? [] : [whole(`your role may not write this ${open.entity.key}`)]
  faults.push(...modeFaults(open, row), ...linkFaults(open, row))
  if (context && faults.length === 0)
    try {
      const result = await write(connection, open, context, n, row)
      if (result.became === 'unchanged') done.unchanged += 1
      else done[result.became].push(result.id)
    } catch (error) {
      faults.push(...faultsOf(open, error))
    }
  done.faults.push(...faults.map((fault) => ({ ...fault, n })))
}

const whole = (message: string): RowFault => ({ column: null, text: null, message })

const modeFaults = ({ plan, entity }: OpenRun, { match }: Row): readonly RowFault[] => {
  if (plan.mode === 'update' && match === null)
    return [{ ...whole(unmatchedText(entity, plan)), rule: 'unmatched' }]
  return []
}

const linkFaults = (open: OpenRun, { lost }: Row): readonly RowFault[] =>
  Object.entries(JSON.parse(lost) as Record<string, string>).flatMap(([slot, cell]) => {
    const text = shorten(cell, longestShown)
    const one = open.columns.find((column) => column.slot === slot)
    // The write itself says so of a link by its id, which may be the one that the record has.
    if (!one || one.path?.column.name === 'id') return []
    const message = `${lackingText(open, one)}${text}${afterLacking(one)}`
    return [{ column: one.head, text, message, rule: 'link' }]
  })

const readRow = (connection: Connection, open: OpenRun, n: number): Promise<Row | undefined> => {
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
  return queryRow<Row>(
    connection,
    sql`
      SELECT v._match AS match, ${object(members)} AS json, ${object(lost)} AS lost
      FROM ${resolvedRows(open, inPlaces([n]))} v`,
  )
}

const cell = ({ slot }: ImportColumn): Sql => raw(`v._cell_${slot}`)

const write = async (
  connection: Connection,
  open: OpenRun,
  context: WriteContext,
  n: number,
  row: Row,
): Promise<{ readonly id: number; readonly became: 'created' | 'changed' | 'unchanged' }> => {
  const body = bodyOf(open, row)
  const part = partOf(connection)
  if (row.match !== null) {
    if (Object.keys(body).length === 0) return { id: row.match, became: 'unchanged' }
    const target = { id: row.match, precondition: 'any' } as const
    const { isChanged } = await changeRecord(part, context, target, body)
    return { id: row.match, became: isChanged ? 'changed' : 'unchanged' }
  }
  return withConflicts({ database: connection, context }, () =>
    part.transact(async (within) => {
      const givenNumbers = numbersOf(open, row)
      const { id } = await createRecord(within, { ...context, givenNumbers }, body)
      await writeHistory(within, open, n, id)
      return { id, became: 'created' }
    }),
  )
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
const bodyOf = (open: OpenRun, { match, json }: Row): Record<string, unknown> => {
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

const faultsOf = ({ columns }: OpenRun, error: unknown): readonly RowFault[] => {
  if (error instanceof RowRefused) return [whole(error.message)]
  if (!(error instanceof ApiError) || errorKinds[error.code].status >= 500) throw error
  if (error.errors.length === 0) return [whole(error.message)]
  const headOf = (path: string) => columns.find(({ name }) => name === path)?.head
  return error.errors.map(({ path, message, combination, code = error.code }) => {
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
  })
}
