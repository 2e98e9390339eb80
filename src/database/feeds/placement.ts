/** Which servers have the feed, as the database of the records knows it; no row is found where nobody looks for it. */
import { StartupError } from '../../errors.ts'
import { type Connection, execute, type Pool, type Queryable, queryRow } from '../pool.ts'
import { sql, texts } from '../sql.ts'
import { transaction } from '../transaction.ts'

export type Placement = {
  readonly identity: string
  /** The servers that have the feed; none: the database of the records has it. */
  readonly names: readonly string[]
  /** Where a move that has begun leads. */
  readonly movingTo: readonly string[] | undefined
  /** Servers give ids of mailings and deliveries from this on. */
  readonly firstId: number
}

type Row = {
  identity: string
  names: string
  moving_to: string | null
  first_id: number
}

/** Reads it; undefined while the feed was never apart. */
export const findPlacement = async (database: Queryable): Promise<Placement | undefined> => {
  const read = sql`
SELECT identity, to_json(names) AS names, to_json(moving_to) AS moving_to, first_id
FROM docket.feed_placement`
  const row = await queryRow<Row>(database, read)
  return (
    row && {
      identity: row.identity,
      names: JSON.parse(row.names),
      movingTo: row.moving_to === null ? undefined : JSON.parse(row.moving_to),
      firstId: row.first_id,
    }
  )
}

/** Reads it; the first call stores it. */
export const readPlacement = async (database: Queryable): Promise<Placement> => {
  const found = await findPlacement(database)
  if (found) return found
  await execute(
    database,
    sql`INSERT INTO docket.feed_placement DEFAULT VALUES ON CONFLICT DO NOTHING`,
  )
  return readPlacement(database)
}

/** Whether two lists have the same names. */
const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name) => others.includes(name))

/**
 * Throws unless the feed is where the settings say. A database without a feed begins it there: then there is nothing to move.
 */
export const requirePlacement = async (pool: Pool, names: readonly string[]): Promise<void> => {
  if (names.length === 0 && !(await findPlacement(pool))) return
  const placement = await readPlacement(pool)
  if (placement.movingTo !== undefined) throw unfinished(placement.movingTo)
  if (areSame(placement.names, names)) return assertNone(pool, names)
  const isBegun = await transaction(pool, (connection) => begin(connection, names))
  if (!isBegun) throw elsewhere(placement.names, names)
}

/** A process of another setting may have stored some in the database of the records. */
const assertNone = async (pool: Pool, names: readonly string[]): Promise<void> => {
  if (names.length > 0 && (await hasFeed(pool))) throw elsewhere([], names)
}

const begin = async (connection: Connection, names: readonly string[]): Promise<boolean> => {
  await lockPlacement(connection)
  const { names: current } = await readPlacement(connection)
  if (areSame(current, names)) return true
  if (current.length > 0 || (await hasFeed(connection))) return false
  await nameServers(connection, names)
  await place(connection, names)
  return true
}

/** Nobody else changes it until the commit. */
const lockPlacement = async (connection: Connection): Promise<void> => {
  await execute(connection, sql`SELECT FROM docket.feed_placement FOR UPDATE`)
}

/** Whether a database has rows of the feed. */
const hasFeed = async (database: Queryable): Promise<boolean> => {
  const found = sql`
SELECT
WHERE EXISTS (SELECT FROM docket.notification_count) OR EXISTS (SELECT FROM docket.mailing)`
  return (await execute(database, found)) > 0
}

/** Stores that these servers have the feed from now on. */
export const place = async (connection: Connection, names: readonly string[]): Promise<void> => {
  await execute(
    connection,
    sql`UPDATE docket.feed_placement SET names = ${texts(names)}, moving_to = NULL`,
  )
}

/** Gives each of these servers a remainder for its ids, which no other one has had, and says where ids begin. */
export const nameServers = async (
  connection: Connection,
  names: readonly string[],
): Promise<void> => {
  await execute(
    connection,
    sql`
INSERT INTO docket.feed_server (name, remainder)
SELECT n.name, free.remainder
FROM (
  SELECT name, row_number() OVER (ORDER BY name) AS place
  FROM unnest(${texts(names)}) AS name
  WHERE name NOT IN (SELECT name FROM docket.feed_server)
) n
JOIN (
  SELECT remainder, row_number() OVER (ORDER BY remainder) AS place
  FROM generate_series(0, 63) AS remainder
  WHERE remainder NOT IN (SELECT remainder FROM docket.feed_server)
) free ON free.place = n.place`,
  )
  await execute(
    connection,
    sql`
UPDATE docket.feed_placement
SET first_id = greatest(
  first_id,
  coalesce(pg_sequence_last_value(pg_get_serial_sequence('docket.mailing', 'id')::regclass), 0) + 1,
  coalesce(pg_sequence_last_value(pg_get_serial_sequence('docket.delivery', 'id')::regclass), 0) + 1
)`,
  )
}

const printed = (names: readonly string[]): string =>
  names.length === 0 ? 'the database of the records' : names.join(', ')

const unfinished = (names: readonly string[]) =>
  new StartupError(
    `Notifications are being moved to ${printed(names)}, and this has not ended: run "docket move-feed" again with FEED_DATABASE_URL of these, then start.`,
  )

const elsewhere = (current: readonly string[], wanted: readonly string[]) =>
  new StartupError(
    `Notifications are in ${printed(current)}, and FEED_DATABASE_URL says ${printed(wanted)}: stop all processes and run "docket move-feed", then start.`,
  )
