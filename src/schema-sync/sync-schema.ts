/** Makes the database follow the definitions: what loses nothing by itself, the rest when asked. */
import { migrate, refuseOldServer } from '../database/migrate.ts'
import type { Connection, Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { errorText, StartFault } from '../errors.ts'
import type { Observe } from '../observations.ts'
import type { Change } from './change.ts'
import { currentSchema } from './current-schema.ts'
import { desiredSchema } from './desired-schema.ts'
import { diffSchema } from './diff-schema.ts'
import { readFacts } from './read-facts.ts'

// Any number will do: held by the one process that changes the schema.
const schemaLock = 7_305_114_002

type Wish = {
  readonly pool: Pool
  readonly catalog: Catalog
  /** The zone in which defaults without an offset are read. */
  readonly timeZone?: string
}

type Options = Wish & { readonly observe: Observe; readonly allowDestructive?: boolean }

/** Applies the difference in one transaction, or nothing of it; answers with what was applied. */
export const syncSchema = (options: Options): Promise<Change[]> =>
  underLock(options.pool, async (connection) => {
    const begun = performance.now()
    await migrate(connection)
    const changes = await difference(connection, options)
    refuse(changes, options.allowDestructive ?? false)
    if (changes.length === 0) return changes
    await apply(connection, changes)
    const ms = performance.now() - begun
    options.observe({ kind: 'schemaSynced', statements: changes.length, ms })
    return changes
  })

/** What a sync that may destroy would do; writes nothing. */
export const planSync = (wish: Wish): Promise<Change[]> =>
  underLock(wish.pool, async (connection) => {
    await refuseOldServer(connection)
    return difference(connection, wish)
  })

/** Any number of processes may come at once: they pass one by one, all but the first with no work. */
const underLock = async <T>(
  pool: Pool,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const connection = await pool.connect()
  let broken: Error | undefined
  try {
    await connection.query(`SELECT pg_advisory_lock(${schemaLock})`)
    return await work(connection)
  } finally {
    // A connection that cannot unlock is closed, which unlocks too.
    await connection.query(`SELECT pg_advisory_unlock(${schemaLock})`).catch((error: Error) => {
      broken = error
    })
    connection.release(broken)
  }
}

const difference = async (
  connection: Connection,
  { catalog, timeZone = 'UTC' }: Wish,
): Promise<Change[]> => {
  const desired = desiredSchema(catalog, timeZone)
  const current = await currentSchema(connection)
  return diffSchema(desired, current, await readFacts(connection, desired, current))
}

const refuse = (changes: readonly Change[], allowDestructive: boolean): void => {
  const refused = changes.filter(({ isDestructive, blocked }) =>
    allowDestructive ? blocked !== undefined : isDestructive,
  )
  if (refused.length === 0) return
  const list = refused.map(({ reason, sql, blocked }) => {
    const first = blocked === undefined ? '' : `; ${blocked} first`
    return `  ${reason}${first}\n    ${sql};`
  })
  const [head, next] = allowDestructive
    ? ['The database cannot follow the definitions yet', '']
    : [
        'The definitions ask for changes that could lose data or block',
        '\n"docket migrate --plan" shows every statement, "docket migrate --allow-destructive" runs them.',
      ]
  throw new StartFault(`${head}; nothing was changed:\n${list.join('\n')}${next}`)
}

const apply = async (connection: Connection, changes: readonly Change[]): Promise<void> => {
  await connection.query('BEGIN')
  try {
    for (const change of changes) await run(connection, change)
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

const run = async (connection: Connection, { sql, reason }: Change): Promise<void> => {
  try {
    await connection.query(sql)
  } catch (error) {
    throw new StartFault(
      `PostgreSQL refused a change (${errorText(error)}); nothing was changed:\n  ${reason}\n    ${sql};`,
      { cause: error },
    )
  }
}
