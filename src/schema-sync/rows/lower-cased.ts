/** Values of fields that are kept in lower case from now on: they are changed, unless two records would have the same. */
import { type Queryable, queryRow, queryRows } from '../../database/pool.ts'
import { join, notDeleted, ref, type Sql, sql, table } from '../../database/sql.ts'
import { type Column, type Entity, uniqueIndexes } from '../../definitions/catalog.ts'
import { blocked, type Change, counted, during, printSql, safe } from '../diff/change.ts'
import { storedColumn, storedTable, type TableSchema } from '../diff/schema.ts'

type Options = {
  readonly entity: Entity
  readonly column: Column
  /** As stored, with its future name. */
  readonly actual: TableSchema
  /** The value as it will be, from the stored one. */
  readonly cellOf: (cell: Sql) => Sql
}

// What is ASCII alone must not depend on the language of the server.
const inLowerCase = (cell: Sql): Sql => sql`
  CASE WHEN octet_length(${cell}) = length(${cell}) THEN lower(${cell} COLLATE "C") ELSE lower(${cell}) END`

/** The change of the values; blocked by records that differ in nothing but their case, all of which it names. */
export const lowerCased = async (database: Queryable, options: Options): Promise<Change[]> => {
  const { entity, column, actual, cellOf } = options
  const stored = table(storedTable(actual))
  const cell = cellOf(ref(storedColumn(actual, column.name), 't'))
  const row = await queryRow<{ count: number }>(
    database,
    sql`SELECT count(*) AS count FROM ${stored} t WHERE ${cell} <> ${inLowerCase(cell)}`,
  )
  const count = row?.count ?? 0
  if (count === 0) return []
  const own = ref(column.name)
  const statement = printSql(sql`
    UPDATE ${table(actual.name)}
    SET ${own} = ${inLowerCase(own)}, _version = _version + 1
    WHERE ${own} <> ${inLowerCase(own)}`)
  const of = `${column.name} of ${actual.name}`
  const same = await findSame(database, options, inLowerCase(cell))
  if (same.length === 0)
    return [
      during(
        'between',
        safe(
          statement,
          `${of} is in lower case now; ${counted(count, ['value is', 'values are'])} not`,
        ),
      ),
    ]
  const named = same.map(({ records }) => records).join('; ')
  return [
    blocked(
      statement,
      `${of} is in lower case now, and of these records each would have the value of another: ${named}`,
      `give each ${entity.key} a value of its own, or remove those that are not needed`,
    ),
  ]
}

/** Records that would have the same value of a unique index, each group as text. */
const findSame = async (
  database: Queryable,
  { entity, column, actual }: Options,
  lowered: Sql,
): Promise<readonly { readonly records: string }[]> => {
  const value = ref(storedColumn(actual, column.name), 't')
  const found: { readonly records: string }[] = []
  for (const { columns } of uniqueIndexes(entity)) {
    if (!columns.includes(column.name)) continue
    const cells = columns.map((name) =>
      name === column.name ? lowered : ref(storedColumn(actual, name), 't'),
    )
    const given = cells.map((one) => sql`${one} IS NOT NULL`)
    const select = sql`
      SELECT string_agg(t.id || ' (' || ${value} || ')', ', ' ORDER BY t.id) AS records
      FROM ${table(storedTable(actual))} t
      WHERE ${join([notDeleted('t'), ...given], ' AND ')}
      GROUP BY ${join(cells, ', ')} HAVING count(*) > 1 ORDER BY min(t.id)`
    found.push(...(await queryRows<{ records: string }>(database, select)))
  }
  return found
}
