/** Compares records with new rules of their fields, and with the form in which these keep texts, within a time limit. */
import { type Queryable, queryRow, queryRows } from '../../database/pool.ts'
import { int, ints, notDeleted, ref, type Sql, sql, table, tableName } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { type Change, counted, printSql } from '../diff/change.ts'
import { storedColumn, storedTable, type TableSchema } from '../diff/schema.ts'
import { brokenSql, findSql, formOf, limitsOf } from './field-rules.ts'

export type TimeBudget = {
  readonly check: () => void
  /** Runs work whose statements are cancelled when the time is over; undefined when cancelled. */
  readonly within: <T>(database: Queryable, work: () => Promise<T>) => Promise<T | undefined>
}

class BudgetSpent extends Error {
  override name = 'BudgetSpent'
}

/** A budget of so many milliseconds from now, on a connection without another time limit. */
export const timeBudget = (ms: number): TimeBudget => {
  const end = performance.now() + ms
  const check = () => {
    if (performance.now() >= end) throw new BudgetSpent()
  }
  return {
    check,
    within: async (database, work) => {
      try {
        check()
        await database.query(
          `SET statement_timeout = ${Math.max(1, Math.ceil(end - performance.now()))}`,
        )
        return await work()
      } catch (error) {
        if (error instanceof BudgetSpent || isCancelled(error)) return undefined
        throw error
      } finally {
        await database.query('SET statement_timeout = 0').catch(() => undefined)
      }
    },
  }
}

// 57014: query_canceled.
const isCancelled = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === '57014'

export type ComparedColumn = {
  readonly column: Column
  /** As stored, with its future name. */
  readonly actual: TableSchema
  readonly timeZone: string
  readonly budget: TimeBudget
  /** The value as it will be, from the stored one. */
  readonly cellOf: (cell: Sql) => Sql
}

type Found = {
  readonly count: number
  /** Ids of some records that violate the rule. */
  readonly ids: readonly number[]
}

const batch = 5_000
const maxIds = 100

/** Warnings about the values of a column; `isRepeated`: the next sync compares them again. */
export const compareValues = async (
  database: Queryable,
  options: ComparedColumn,
): Promise<{ readonly changes: readonly Change[]; readonly isRepeated: boolean }> => {
  const limits = await compareLimits(database, options)
  // Until the texts have their form, conditions do not find them.
  const forms = await compareForm(database, options)
  return { changes: [...limits, ...forms], isRepeated: forms.length > 0 }
}

/** A warning when records violate the limits of a column. */
const compareLimits = async (database: Queryable, options: ComparedColumn): Promise<Change[]> => {
  const { column, actual, timeZone } = options
  const limits = limitsOf(column, timeZone)
  const cell = ref(column.name)
  const condition = brokenSql(limits, options.cellOf(ref(storedColumn(actual, column.name), 't')))
  const { count, ids } = condition
    ? await countBroken(database, actual, condition)
    : await checkEach(database, options)
  if (count === 0) return []
  const table = tableName(actual.name)
  const shown = brokenSql(limits, cell) ?? sql`id = ANY (${ints(ids)})`
  const part = condition || count === ids.length ? '' : `; the statement finds the first ${maxIds}`
  const rule = limits.map(({ words }) => words).join(', ')
  const [hold, them] = count === 1 ? ['holds', 'it'] : ['hold', 'them']
  return [
    {
      kind: 'warning',
      sql: findSql(table, column.name, shown),
      reason: `${counted(count, ['record', 'records'])} of ${actual.name} ${hold} a ${column.name} that its field rejects now (${rule}), for example ${ids.slice(0, 2).join(' and ')}; nobody who changes ${them} can keep the value${part}`,
    },
  ]
}

/** A warning when records hold texts in another form than the one in which values are compared. */
const compareForm = async (database: Queryable, options: ComparedColumn): Promise<Change[]> => {
  const { column, actual, cellOf } = options
  const form = formOf(column)
  if (!form) return []
  const stored = cellOf(ref(storedColumn(actual, column.name), 't'))
  const { count, ids } = await countBroken(database, actual, sql`${stored} <> ${form(stored)}`)
  if (count === 0) return []
  const cell = ref(column.name)
  const [hold, them] = count === 1 ? ['holds', 'it'] : ['hold', 'them']
  return [
    {
      kind: 'warning',
      sql: printSql(
        sql`
          UPDATE ${table(actual.name)}
          SET ${cell} = ${form(cell)}, _version = _version + 1
          WHERE ${cell} <> ${form(cell)}`,
      ),
      reason: `${counted(count, ['record', 'records'])} of ${actual.name} ${hold} a ${column.name} that looks like another text, for example ${ids.join(' and ')}: its characters are not composed (NFC), or it has blanks at an end; conditions and unique fields do not find ${them} until this statement has run`,
    },
  ]
}

/** One scan of the table. */
const countBroken = async (
  database: Queryable,
  actual: TableSchema,
  condition: Sql,
): Promise<Found> => {
  const select = sql`
    SELECT count(*) AS count, min(t.id) AS first, max(t.id) AS last
    FROM ${table(storedTable(actual))} t
    WHERE ${notDeleted('t')} AND (${condition})`
  const row = await queryRow<{ count: number; first: number | null; last: number | null }>(
    database,
    select,
  )
  const ids = [row?.first, row?.last].filter((id) => typeof id === 'number')
  return { count: row?.count ?? 0, ids: [...new Set(ids)] }
}

/** Rules that SQL cannot check are checked like values in requests. */
const checkEach = async (database: Queryable, options: ComparedColumn): Promise<Found> => {
  const { column, actual, timeZone, budget, cellOf } = options
  const cell = cellOf(ref(storedColumn(actual, column.name), 't'))
  const ids: number[] = []
  let count = 0
  for (let last = 0; ; ) {
    const select = sql`
      SELECT t.id, ${cell} AS value
      FROM ${table(storedTable(actual))} t
      WHERE t.id > ${int(last)} AND ${notDeleted('t')} AND ${cell} IS NOT NULL
      ORDER BY t.id
      LIMIT ${int(batch)}`
    const rows = await queryRows<{ id: number; value: unknown }>(database, select)
    for (const { id, value } of rows) {
      if ('value' in column.type.check(value, timeZone)) continue
      count++
      if (ids.length < maxIds) ids.push(id)
    }
    if (rows.length < batch) return { count, ids }
    last = rows.at(-1)?.id ?? last
    budget.check()
  }
}
