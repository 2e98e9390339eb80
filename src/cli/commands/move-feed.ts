/** `docket move-feed`: moves notifications, mailings and deliveries to where FEED_DATABASE_URL says. */
import type { Config } from '../../config/load-config.ts'
import { listAdvisoryHolders, printHolders } from '../../database/locks/lock-holders.ts'
import { takeAlone, useLock } from '../../database/locks/users-of-database.ts'
import { findMissingMigrations } from '../../database/migrate.ts'
import { createPool, type Pool } from '../../database/pool.ts'
import { StartupError } from '../../errors.ts'
import { moveFeed } from '../../notifications/moving/move-feed.ts'
import type { Observe } from '../../observations.ts'
import { openDatabase } from '../../runtime/open-database.ts'
import { prepareFeed } from '../../runtime/open-feeds.ts'
import { type Command, exitCodes } from '../command.ts'
import { requireExistingDatabase } from '../require-project.ts'

export const command: Command = {
  usage: '',
  summary: 'Move notifications to the servers of FEED_DATABASE_URL.',
  options: {},
  positionals: 0,
  run: async ({ config, terminal, observe }) => {
    await requireExistingDatabase(config)
    const opened = await openDatabase(config, observe)
    const { connectionString } = opened
    const records = openPlace(connectionString, observe)
    const places = openPlaces(config, records, observe)
    try {
      await refuseMissing(records)
      const { notifications, deliveries, users } = await alone(records, () =>
        moveFeed({
          ...{ records, wanted: places.wanted, former: places.former },
          prepare: (server) => prepareFeed(server, true),
          onUsers: (count) => terminal.isInteractive && terminal.note(`${count} users …\n`),
        }),
      )
      const where =
        places.wanted.map(({ feed }) => feed).join(', ') || 'the database of the records'
      terminal.note(
        `Moved ${notifications} notifications and ${deliveries} deliveries of ${users} users. Notifications are in ${where} now.\n`,
      )
      return exitCodes.done
    } finally {
      await Promise.all([...places.wanted, ...places.former, records].map((pool) => pool.end()))
      await opened.close()
    }
  },
}

/** Without a share of the lock that others are kept out by. */
const openPlace = (
  connectionString: string,
  observe: Observe,
  place?: { readonly feed: string; readonly records: Pool },
): Pool =>
  createPool({
    ...{ connectionString, size: 3, observe, work: { kind: 'restore' } },
    place: place && { ...place, assertUp: () => undefined },
  })

const openPlaces = (
  { FEED_DATABASE_URL = new Map(), FEED_DATABASE_FORMER_URL = new Map() }: Config,
  records: Pool,
  observe: Observe,
) => {
  const open = (servers: ReadonlyMap<string, string>) =>
    [...servers].map(([feed, url]) => openPlace(url, observe, { feed, records }))
  const former = new Map(
    [...FEED_DATABASE_FORMER_URL].filter(([name]) => !FEED_DATABASE_URL.has(name)),
  )
  return {
    wanted: open(FEED_DATABASE_URL),
    former: open(former),
  }
}

const refuseMissing = async (records: Pool): Promise<void> => {
  if ((await findMissingMigrations(records)).length > 0)
    throw new StartupError(
      'The database of the records is of an earlier version: run "docket migrate" first.',
    )
}

// Connections of a process that has just ended disappear within this time.
const goneWithinMs = 2_000
const maxUsersNamed = 3

/** No process notifies anybody, or reads notifications, meanwhile. */
const alone = async <T>(records: Pool, work: () => Promise<T>): Promise<T> => {
  const connection = await records.connect()
  try {
    if (!(await takeAlone(connection, { waitMs: goneWithinMs }))) {
      const users = await listAdvisoryHolders(connection, useLock)
      throw new StartupError(
        `A service, a worker or a command uses the database (${users.length} connections, such as ${printHolders(users.slice(0, maxUsersNamed))}); stop it, then move.`,
      )
    }
    return await work()
  } finally {
    connection.release(true)
  }
}
