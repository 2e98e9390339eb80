/** Makes the database follow the definitions: what loses nothing by itself, the rest when asked. */
import type { Catalog } from '../definitions/catalog.ts'
import { migrate } from '../database/migrate.ts'
import type { Connection, Pool } from '../database/pool.ts'
import { StartFault } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { currentSchema } from './current-schema.ts'
import { desiredSchema } from './desired-schema.ts'
import { diffSchema } from './diff-schema.ts'
import { readFacts } from './read-facts.ts'
import type { Change } from './schema.ts'

// Any number will do: held by the one process that changes the schema.
const schemaLock = 7_305_114_002

type Options = {
  readonly pool: Pool
  readonly catalog: Catalog
  /** The zone in which defaults without an offset are read. */
  readonly timeZone?: string
  readonly observe: Observe
  readonly allowDestructive?: boolean
}

/** Applies the difference in one transaction, or nothing; answers with what was applied. */
export const syncSchema = ({ pool, catalog, timeZone = 'UTC', observe, allowDestructive = false }: Options): Promise<Change[]> =>
  underLock(pool, async (connection) => {
    const begun = performance.now()
    await migrate(connection)
    const changes = await plan(connection, catalog, timeZone)
    refuse(changes, allowDestructive)
    if (changes.length === 0) return changes
    await apply(connection, changes)
    observe({ kind: 'schemaSynced', statements: changes.length, ms: performance.now() - begun })
    return changes
  })

/** What a sync would do, without doing it to the records' tables. */
export const planSync = ({ pool, catalog, timeZone = 'UTC' }: Pick<Options, 'pool' | 'catalog' | 'timeZone'>): Promise<Change[]> =>
  underLock(pool, async (connection) => {
    await migrate(connection)
    return plan(connection, catalog, timeZone)
  })

const plan = async (connection: Connection, catalog: Catalog, timeZone: string) => {
  const desired = desiredSchema(catalog, timeZone)
  const current = await currentSchema(connection)
  return diffSchema(desired, current, await readFacts(connection, desired, current))
}

const apply = async (connection: Connection, changes: readonly Change[]) => {
  await connection.query('BEGIN')
  try {
    for (const { sql } of changes) await connection.query(sql)
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK')
    throw new StartFault(`The database could not be changed: ${(error as Error).message}`, { cause: error })
  }
}

const underLock = async <T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> => {
  const connection = await pool.connect()
  try {
    await connection.query(`SELECT pg_advisory_lock(${schemaLock})`)
    try {
      return await work(connection)
    } finally {
      await connection.query(`SELECT pg_advisory_unlock(${schemaLock})`)
    }
  } finally {
    connection.release()
  }
}

const refuse = (changes: readonly Change[], allowDestructive: boolean) => {
  const refused = changes.filter((change) =>
    allowDestructive ? change.blocked !== undefined : change.isDestructive,
  )
  if (refused.length === 0) return
  const lines = refused.map(
    ({ reason, sql, blocked }) => `  ${reason}${blocked === undefined ? '' : ` (${blocked})`}\n    ${sql};`,
  )
  throw new StartFault(
    allowDestructive
      ? `The database cannot follow the definitions yet; nothing was changed:\n${lines.join('\n')}`
      : `The definitions ask for changes that could lose data or block; nothing was changed:\n${lines.join('\n')}\nSee all of them with "docket migrate --plan"; run them with "docket migrate --allow-destructive".`,
  )
}
