/** Items in a real database, and the ids that criteria select. */
import {
  bound,
  identifier,
  join,
  raw,
  sql,
  tableName,
  toLiteralText,
  toStatement,
} from '../../../src/database/sql.ts'
import type { SqlValue } from '../../../src/definitions/values/check-value.ts'
import { compileSelect } from '../../../src/query/compile-select.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { catalog, planOf } from '../../support/query/a-catalog.ts'

export type Row = Readonly<Record<string, SqlValue>>

/** A database with the tables of the catalog. */
export const createItems = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase()
  await syncSchema({ pool: database.pool, catalog, observe: () => undefined })
  return database
}

/** Inserts rows, whose keys are column names; ids start at 1. */
export const insert = async (
  { pool }: TestDatabase,
  entityKey: string,
  rows: readonly Row[],
): Promise<void> => {
  const entity = catalog.entities.get(entityKey)
  for (const row of rows) {
    const names = Object.keys(row)
    const values = names.map((name) =>
      bound(row[name] ?? null, entity?.columnsByName.get(name)?.type.cast ?? 'text'),
    )
    const into = raw(`${tableName(entityKey)} (${names.map(identifier).join(', ')})`)
    await pool.query(toStatement(sql`INSERT INTO ${into} VALUES (${join(values, ', ')})`))
  }
}

/** The ids that criteria select, with bound parameters or with literals. */
const selecting =
  (write: typeof toStatement | typeof toLiteralText) =>
  async ({ pool }: TestDatabase, body: object): Promise<number[]> => {
    const select = compileSelect(planOf(body, { columns: ['id'] }), raw('t."id"'))
    const { rows }: { rows: { id: number }[] } = await pool.query(write(select))
    return rows.map(({ id }) => id)
  }

export const idsOf = selecting(toStatement)
export const idsWithLiterals = selecting(toLiteralText)
