/** Examines a server that a database may be moved to; nothing that it creates stays. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { areSessionsShared, connectErrorOf } from '../database/connections/wait-for-database.ts'
import { databaseTypes } from '../database/row-types.ts'
import { errorText } from '../errors.ts'
import { addressChecks } from './address-checks.ts'
import { type Finding, runChecks, type ServerTarget } from './check.ts'
import { trialChecks } from './trial-checks.ts'

const answerMs = 20_000

/** The findings; `demand`: how many connections one process may open. */
export const checkServer = async (url: string, demand: number): Promise<Finding[]> => {
  const clients = [newClient(url), newClient(url)] as const
  try {
    for (const client of clients) await client.connect()
  } catch (error) {
    await close(clients)
    return [
      { check: 'connection', level: 'fail', value: connectErrorOf(error, url, 'the address').text },
    ]
  }
  try {
    const [database, other] = clients
    const isPooled = await areSessionsShared(database, other)
    const target = { database, other, isPooled, host: new URL(url).hostname, demand }
    return [...(await runChecks(addressChecks, target)), ...(await tryNeeds(target))]
  } finally {
    await close(clients)
  }
}

const newClient = (connectionString: string): pg.Client => {
  const client = new pg.Client({
    connectionString,
    application_name: 'docket check',
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    types: databaseTypes,
  })
  // A broken connection rejects its query.
  client.on('error', () => undefined)
  return client
}

const close = (clients: readonly pg.Client[]) =>
  Promise.allSettled(clients.map((client) => client.end()))

const prefix = 'docket_check_'
const leftAfterSeconds = 3600

/** In a schema that is dropped; one that a killed process left is dropped after an hour. */
const tryNeeds = async (target: ServerTarget): Promise<Finding[]> => {
  const { database } = target
  const schema = `${prefix}${Math.floor(Date.now() / 1000)}_${randomBytes(4).toString('hex')}`
  try {
    await database.query(`CREATE SCHEMA ${schema}`)
  } catch (error) {
    return [{ check: 'trial', level: 'unknown', value: `not possible: ${errorText(error)}` }]
  }
  try {
    await dropLeft(database)
    return await runChecks(trialChecks, { ...target, schema })
  } finally {
    await database.query('ROLLBACK')
    await database.query(`DROP SCHEMA ${schema} CASCADE`)
  }
}

const dropLeft = async (database: pg.Client): Promise<void> => {
  const { rows } = await database.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace
     WHERE nspname ~ '^${prefix}[0-9]{10}_[0-9a-f]{8}$' AND pg_has_role(nspowner, 'USAGE')
       AND substr(nspname, ${prefix.length + 1}, 10)::bigint < extract(epoch FROM now()) - ${leftAfterSeconds}`,
  )
  for (const { name } of rows) await database.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`)
}
