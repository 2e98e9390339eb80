/** Compares records with rules that their fields did not have before. */
import { type Queryable, queryRow, queryRows } from '../../database/pool.ts'
import { int, ints, notDeleted, ref, sql, table, tableName } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { type Change, counted } from '../diff/change.ts'
import { storedColumn, storedTable, type TableSchema } from '../diff/schema.ts'
import { brokenSql, findSql, limitsOf } from './field-rules.ts'
import type { TimeBudget } from './time-budget.ts'

type Wish = {
  readonly column: Column
  /** As it is stored, with the name that it will have. */
  readonly known: TableSchema
  readonly timeZone: string
  readonly budget: TimeBudget
}

type Found = {
  readonly count: number
  /** Some of those that break the rule. */
  readonly ids: readonly number[]
}

const batch = 5_000
const maxIds = 100

/** A warning where records break the limits of a column; nothing where none does. */
export const compareLimits = async (database: Queryable, wish: Wish): Promise<Change[]> => {
  const { column, known, timeZone } = wish
  const limits = limitsOf(column, timeZone)
  const cell = ref(column.name)
  const condition = brokenSql(limits, ref(storedColumn(known, column.name), 't'))
  const { count, ids } = condition
    ? await countBroken(database, known, condition)
    : await checkEach(database, wish)
  if (count === 0) return []
  const table = tableName(known.name)
  const shown = brokenSql(limits, cell) ?? sql`id = ANY (${ints(ids)})`
  const part = condition || count === ids.length ? '' : `; the statement finds the first ${maxIds}`
  const rule = limits.map(({ words }) => words).join(', ')
  const [hold, them] = count === 1 ? ['holds', 'it'] : ['hold', 'them']
  return [
    {
      kind: 'warning',
      sql: findSql(table, column.name, shown),
      reason: `${counted(count, ['record', 'records'])} of ${known.name} ${hold} a ${column.name} that its field refuses now (${rule}), for example ${ids.slice(0, 2).join(' and ')}; nobody who changes ${them} can keep the value${part}`,
    },
  ]
}

/** One pass over the table. */
const countBroken = async (
  database: Queryable,
  known: TableSchema,
  condition: ReturnType<typeof sql>,
): Promise<Found> => {
  const select = sql`
    SELECT count(*) AS count, min(t.id) AS first, max(t.id) AS last
    FROM ${table(storedTable(known))} t
    WHERE ${notDeleted('t')} AND (${condition})`
  const row = await queryRow<{ count: number; first: number | null; last: number | null }>(
    database,
    select,
  )
  const ids = [row?.first, row?.last].filter((id) => typeof id === 'number')
  return { count: row?.count ?? 0, ids: [...new Set(ids)] }
}

/** What SQL cannot tell the check of a value tells, as it will for everyone who writes one. */
const checkEach = async (database: Queryable, wish: Wish): Promise<Found> => {
  const { column, known, timeZone, budget } = wish
  const cell = ref(storedColumn(known, column.name), 't')
  const ids: number[] = []
  let count = 0
  for (let last = 0; ; ) {
    const select = sql`
      SELECT t.id, ${cell} AS value
      FROM ${table(storedTable(known))} t
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
