/**
 * Moves the feed to where the settings say: from the database of the records to servers of its own, to more or fewer servers, or back.
 * Nobody else uses it meanwhile. Rows of a user are copied, counted, and only then removed, so a move that was interrupted is run again.
 */
import { feedsOn } from '../../database/feeds/feeds.ts'
import { nameServers, place, readPlacement } from '../../database/feeds/placement.ts'
import { execute, type Pool, queryRow, queryRows } from '../../database/pool.ts'
import { sql, texts } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import { StartupError } from '../../errors.ts'
import { relayAll } from '../jobs/relay-jobs.ts'
import { moveUsers } from './move-users.ts'

/** What was moved. */
export type MovedFeed = {
  readonly users: number
  readonly notifications: number
  readonly deliveries: number
}

type Options = {
  readonly records: Pool
  /** Where the feed will be; none: in the database of the records. */
  readonly wanted: readonly Pool[]
  /** Servers from which rows are only taken. */
  readonly former: readonly Pool[]
  /** Brings a server up to date. */
  readonly prepare: (server: Pool) => Promise<void>
  /** Called with the users that were moved since the last call. */
  readonly onUsers: (users: number) => void
}

/** Begins a move, or goes on with it. */
export const moveFeed = async (options: Options): Promise<MovedFeed> => {
  const { records, wanted, former, prepare } = options
  const names = wanted.map(({ feed }) => feed)
  await beginMove(records, names, new Set([...names, ...former.map(({ feed }) => feed)]))
  const servers = [...wanted, ...former]
  for (const server of servers) await prepare(server)
  // Their jobs run where the records are.
  for (const server of servers) await relayAll(server)
  const moved = { users: 0, notifications: 0, deliveries: 0 }
  for (const source of [records, ...servers]) {
    const part = await moveFrom(source, options)
    moved.users += part.users
    moved.notifications += part.notifications
    moved.deliveries += part.deliveries
  }
  await transaction(records, async (connection) => {
    if (names.length === 0) await raiseIds(connection)
    await place(connection, names)
  })
  return moved
}

/** Processes do not start until the move has ended. */
const beginMove = async (
  records: Pool,
  names: readonly string[],
  known: ReadonlySet<string>,
): Promise<void> => {
  const { names: current, movingTo = [] } = await readPlacement(records)
  const missing = [...new Set([...current, ...movingTo])].filter((name) => !known.has(name))
  if (missing.length > 0)
    throw new StartupError(
      `Notifications may be in ${missing.join(', ')}: name these servers in FEED_DATABASE_FORMER_URL too, so that nothing is left there.`,
    )
  await transaction(records, async (connection) => {
    await nameServers(connection, names)
    await execute(connection, sql`UPDATE docket.feed_placement SET moving_to = ${texts(names)}`)
  })
}

// Rows of so many users are removed together.
const usersAtOnce = 50

/** Moves those users of a place who belong elsewhere. */
const moveFrom = async (
  source: Pool,
  { records, wanted, onUsers }: Options,
): Promise<MovedFeed> => {
  const homes = wanted.length === 0 ? feedsOn(records) : feedsOn(...wanted)
  const leaving = (await listUsers(source)).filter((id) => homes.of(id) !== source)
  const moved = { users: 0, notifications: 0, deliveries: 0 }
  for (const [target, users] of Map.groupBy(leaving, (id) => homes.of(id)))
    for (let from = 0; from < users.length; from += usersAtOnce) {
      const some = users.slice(from, from + usersAtOnce)
      const { notifications, deliveries } = await moveUsers({ source, target, userIds: some })
      moved.users += some.length
      moved.notifications += notifications
      moved.deliveries += deliveries
      onUsers(some.length)
    }
  if (!homes.all.includes(source)) await removeUnsent(source)
  return moved
}

const listUsers = async (source: Pool): Promise<number[]> => {
  const rows = await queryRows<{ id: number }>(
    source,
    sql`
SELECT user_id AS id
FROM docket.notification_count
UNION
SELECT user_id
FROM docket.delivery
ORDER BY id`,
  )
  return rows.map(({ id }) => id)
}

/** Mailings of which nobody had a delivery. */
const removeUnsent = async (source: Pool): Promise<void> => {
  await execute(
    source,
    sql`
DELETE FROM docket.mailing m
WHERE NOT EXISTS (SELECT FROM docket.delivery d WHERE d.mailing_id = m.id)`,
  )
}

/** The database of the records goes on beyond the ids that servers have given. */
const raiseIds = async (connection: Parameters<typeof place>[0]): Promise<void> => {
  await queryRow(
    connection,
    sql`
SELECT setval(pg_get_serial_sequence('docket.mailing', 'id'), max(id))
FROM docket.mailing
HAVING count(*) > 0`,
  )
  await queryRow(
    connection,
    sql`
SELECT setval(pg_get_serial_sequence('docket.delivery', 'id'), max(id))
FROM docket.delivery
HAVING count(*) > 0`,
  )
}
