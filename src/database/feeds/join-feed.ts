/** Makes a database a server of the feed: Docket's own tables, whose it is, and what differs there. */
import { StartupError } from '../../errors.ts'
import { findMissingMigrations, migrate } from '../migrate.ts'
import { type Connection, execute, type Pool, queryRow } from '../pool.ts'
import { bound, raw, recordSchema, sql, text } from '../sql.ts'
import { transaction } from '../transaction.ts'
import { readPlacement } from './placement.ts'

type Joining = {
  readonly name: string
  /** The database of the records. */
  readonly records: Pool
  /** The server. */
  readonly server: Pool
  /** Whether its tables may be changed. */
  readonly mayMigrate: boolean
}

// An arbitrary number: the advisory lock of the process that makes a database a server of the feed.
const joinLock = 7_305_114_023

/** Brings a server up to date; throws a StartupError if it belongs to others. Does nothing if it is. */
export const joinFeed = async ({ name, records, server, mayMigrate }: Joining): Promise<void> => {
  await refuseRecords(server, name)
  await updateTables(server, name, mayMigrate)
  const { identity, firstId } = await readPlacement(records)
  const known = await findMembership(server)
  if (known) return assertMember(known, { name, identity })
  const remainder = await findRemainder(records, name)
  await transaction(server, async (connection) => {
    await execute(connection, sql`SELECT pg_advisory_xact_lock(${raw(String(joinLock))})`)
    const other = await findMembership(connection)
    if (other) return assertMember(other, { name, identity })
    await execute(
      connection,
      sql`
INSERT INTO docket.feed_membership (identity, name)
VALUES (${bound(identity, 'uuid')}, ${text(name)})`,
    )
    await divideIds(connection, firstId, remainder)
    await connection.query(addJob)
  })
}

/** A database with records would be taken for an empty feed. */
const refuseRecords = async (server: Pool, name: string): Promise<void> => {
  const found = sql`
SELECT
FROM pg_tables
WHERE schemaname IN ('graphile_worker', ${text(recordSchema)})
LIMIT 1`
  if ((await execute(server, found)) > 0)
    throw new StartupError(
      `FEED_DATABASE_URL: "${name}" is a database of records; notifications need a database of their own.`,
    )
}

const updateTables = async (server: Pool, name: string, mayMigrate: boolean): Promise<void> => {
  if (mayMigrate) return onConnection(server, migrate)
  const [missing] = await findMissingMigrations(server)
  if (missing !== undefined)
    throw new Error(`${name} lacks ${missing}; "docket migrate" brings it up to date`)
}

const onConnection = async (
  server: Pool,
  work: (connection: Connection) => Promise<void>,
): Promise<void> => {
  const connection = await server.connect()
  try {
    await work(connection)
  } finally {
    connection.release(true)
  }
}

type Membership = { readonly identity: string; readonly name: string }

const findMembership = (database: Pool | Connection): Promise<Membership | undefined> =>
  queryRow<Membership>(database, sql`SELECT identity, name FROM docket.feed_membership`)

const assertMember = (known: Membership, own: Membership): void => {
  if (known.identity !== own.identity)
    throw new StartupError(
      `FEED_DATABASE_URL: "${own.name}" has the notifications of another database of records.`,
    )
  if (known.name !== own.name)
    throw new StartupError(
      `FEED_DATABASE_URL: the server at "${own.name}" is "${known.name}"; a server keeps its name, because its users follow from it.`,
    )
}

const findRemainder = async (records: Pool, name: string): Promise<number> => {
  const row = await queryRow<{ remainder: number }>(
    records,
    sql`SELECT remainder FROM docket.feed_server WHERE name = ${text(name)}`,
  )
  if (!row)
    throw new StartupError(
      `FEED_DATABASE_URL: "${name}" is not a server of this database; it can name 64 servers in all.`,
    )
  return row.remainder
}

// As many servers as docket.feed_server can name.
const modulus = 64

/** No two servers give the same id, and none one that the database of the records has given. */
const divideIds = async (
  connection: Connection,
  firstId: number,
  remainder: number,
): Promise<void> => {
  const first = (Math.floor(firstId / modulus) + 1) * modulus + remainder
  for (const table of ['docket.mailing', 'docket.delivery'])
    await connection.query(
      `ALTER TABLE ${table} ALTER COLUMN id SET INCREMENT BY ${modulus} RESTART WITH ${first}`,
    )
}

// Jobs run in the database of the records (deliveries/relay-jobs.ts).
const addJob = `
CREATE OR REPLACE FUNCTION docket.add_job(kind text, payload json, run_at timestamptz DEFAULT now()) RETURNS integer
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO docket.feed_job (kind, payload, run_at) VALUES (add_job.kind, add_job.payload, add_job.run_at);
  RETURN 1;
END $$`
