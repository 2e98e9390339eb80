/**
 * The place of the fan-out: the database of the inbox with all that is in it, more entities and people,
 * and processes of Docket that are started as a measurement needs them.
 */
import { openDevelopmentIssuer } from '../../src/auth/tokens/development-issuer.ts'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { transaction } from '../../src/database/transaction.ts'
import type { Place } from '../place.ts'
import { type Environment, type Program, startDocket } from '../start-program.ts'
import { addFanOutEntities, fillPeople, type Members, subjectOf } from './fan-out-project.ts'

export type FanOutPlace = {
  readonly databaseUrl: string
  readonly pool: Pool
  readonly members: Members
  /** Somebody who is in no group. */
  readonly outsiderId: number
  /** Of the administrator, who makes the changes. */
  readonly token: string
  /** Of a member by number, from 1; 0 is the outsider. */
  readonly tokenOf: (member: number) => Promise<string>
  /** `--no-jobs` leaves them to workers. */
  readonly startService: (...args: readonly string[]) => Promise<Program>
  /** Runs jobs and, as a rule, sends e-mails; `isMailing: false` leaves these in their queue. */
  readonly startWorker: (options: { readonly isMailing: boolean }) => Promise<Program>
  /** Forgets the e-mails that wait. */
  readonly clearEmails: () => Promise<void>
  /** Ends what was started, too. */
  readonly close: () => Promise<void>
}

/** Jobs that a process runs side by side, in Docket and in what it is compared with. */
export const jobsAtOnce = 32

/** Sets it up; the service of the place ends, for it knows nothing of the new entities. */
export const openFanOutPlace = async (place: Place): Promise<FanOutPlace> => {
  const { project, databaseUrl, token } = place
  await place.endService()
  await addFanOutEntities(project)
  const processes = createProcesses(place)
  // The first start makes the tables of the new entities.
  await (await processes.startService('--no-jobs')).stop()
  const issuer = await openDevelopmentIssuer(project)
  const pool = createPool({ connectionString: databaseUrl, size: 8, observe: () => undefined })
  return {
    databaseUrl,
    pool,
    ...(await fillPeople(pool)),
    token,
    tokenOf: (member) => issuer.signToken(subjectOf(member)),
    ...processes,
    clearEmails: () => clearEmails(pool),
    close: async () => {
      await processes.stop()
      await pool.end()
    },
  }
}

// In the order in which senders lock, or both might wait for each other.
const clearEmails = (pool: Pool): Promise<void> =>
  transaction(pool, async (connection) => {
    await connection.query('LOCK TABLE docket.delivery')
    await connection.query('TRUNCATE docket.mailing CASCADE')
  })

const createProcesses = ({ project, databaseUrl }: Place) => {
  const usual = {
    PROJECT: project,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    JOBS_AT_ONCE: `${jobsAtOnce}`,
    // What the inbox was filled with is old, and is not to be removed meanwhile.
    NOTIFICATIONS_KEEP_SEEN_DAYS: '3650',
    NOTIFICATIONS_KEEP_DAYS: '3650',
  }
  const started: Program[] = []
  const start = async (args: Parameters<typeof startDocket>[0], env: Environment = {}) => {
    const docket = await startDocket(args, { ...usual, ...env })
    started.push(docket)
    return docket
  }
  return {
    startService: (...args: readonly string[]) => start(['start', ...args]),
    startWorker: ({ isMailing }: { readonly isMailing: boolean }) =>
      start(['worker'], isMailing ? {} : { EMAIL_MAX_PER_SECOND: '1' }),
    stop: async () => {
      await Promise.all(started.map(({ stop }) => stop()))
    },
  }
}
