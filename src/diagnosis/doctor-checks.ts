/** All checks of `docket doctor`, in the order in which they are shown, with those of waiting work and of calculated values. */
import { countBlobs, sampleBlobs } from '../blobs/check-blobs.ts'
import { openBlobStore } from '../blobs/open-blob-store.ts'
import { loadSharp } from '../blobs/thumbnails/load-sharp.ts'
import { counted } from '../counted.ts'
import { findMissingMigrations } from '../database/migrate.ts'
import { type Sql, sql } from '../database/sql.ts'
import { type ComparedField, findDiffering } from '../schema-sync/calculations/find-differing.ts'
import {
  checkRows,
  type DoctorCheck,
  levelOf,
  printBytes,
  printSeconds,
  printSome,
  type Verdict,
  verdict,
} from './check.ts'
import { connectionChecks } from './connection-checks.ts'
import { publicAddressChecks } from './public-address-checks.ts'
import { replicationChecks } from './replication-checks.ts'
import { clockCheck, versionCheck } from './server-checks.ts'
import { upkeepChecks } from './upkeep-checks.ts'

const samples = 100

/** Whether the store of files is there, has what the database knows, and gets thumbnails. */
const filesCheck: DoctorCheck = {
  name: 'files',
  run: async ({ database, config }) => {
    const blobs = openBlobStore(config)
    const count = await countBlobs(database)
    const fault = await blobs.findFault()
    if (fault !== undefined)
      return {
        level: 'fail',
        value: fault,
        advice:
          'FILES_URL cannot be used: create the folder, or mount it, for the user of the service; a bucket has to take its credentials.',
      }
    const wrong = await sampleBlobs({ database, blobs }, samples)
    const hasThumbnails = (await loadSharp()) !== undefined
    const known = `${counted(count.blobs, 'file')}, ${printBytes(count.bytes)} in ${blobs.name}`
    const found = hasThumbnails ? known : `${known}; without thumbnails: "sharp" is not installed`
    return {
      ...verdict(
        wrong.length > 0 ? 'fail' : 'ok',
        wrong.length > 0 ? `missing in ${blobs.name}: ${printSome(wrong)}` : found,
        'Is it the folder of this database? "docket files --check" lists all that is missing; restore it from a backup.',
      ),
      facts: { ...count, wrong, hasThumbnails },
    }
  },
}

const migrations: DoctorCheck = {
  name: 'migrations',
  run: async ({ database }) => {
    const missing = await findMissingMigrations(database)
    return {
      ...verdict(
        missing.length > 0 ? 'warn' : 'ok',
        missing.length > 0 ? `missing: ${printSome(missing)}` : 'complete',
        'Run "docket migrate", or start this version of Docket.',
      ),
      facts: { missing },
    }
  },
}

const lateLimits = { warn: 60, fail: 600 }
const someDead = { warn: 1 }

type Dead = { dead: number }
type Late = { seconds: number; workers: number }
type Queue = { percent: number }

const workers = sql`
  (
    SELECT count(DISTINCT application_name)::integer
    FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'docket worker %'
  ) AS workers`

const deadIn = (queue: Sql) =>
  sql`SELECT count(*)::integer AS dead FROM ${queue} WHERE status = 'dead'`

const lateIn = (queue: Sql) => sql`
SELECT
  coalesce(extract(epoch FROM now() - min(due_at)), 0)::bigint AS seconds,
  ${workers}
FROM ${queue}
WHERE status IN ('queued', 'failed') AND due_at <= now()`

const jobs = sql`docket.job`
const deliveries = sql`docket.delivery`

const judgeDead = ([row]: readonly Dead[]) =>
  verdict(
    levelOf(row?.dead ?? 0, someDead),
    String(row?.dead ?? 0),
    'They were given up: read their errors, and retry or remove them on the page "Deliveries and jobs" of the console.',
  )

const judgeLate = ([row]: readonly Late[]) => {
  const { seconds = 0, workers = 0 } = row ?? {}
  return verdict(
    levelOf(seconds, lateLimits),
    `${printSeconds(seconds)}; ${counted(workers, 'worker')}`,
    workers === 0
      ? 'Nobody runs jobs: start "docket start" or "docket worker".'
      : 'Start a further "docket worker", or see in the log what keeps the workers busy; a restored database sends only after "docket deliveries --accept-copy".',
  )
}

const queue = sql`SELECT (100 * pg_notification_queue_usage())::bigint AS percent`

const workChecks: readonly DoctorCheck[] = [
  checkRows('dead jobs', deadIn(jobs), judgeDead),
  checkRows('oldest waiting job', lateIn(jobs), judgeLate),
  checkRows('dead e-mails', deadIn(deliveries), judgeDead),
  checkRows('oldest waiting e-mail', lateIn(deliveries), judgeLate),
  checkRows('queue of signals', queue, ([row]: readonly Queue[]) => {
    const percent = row?.percent ?? 0
    return verdict(
      levelOf(percent, { warn: 10, fail: 50 }),
      `${percent} % used`,
      'When it is full, no change is committed: a session that listens has an open transaction; end the oldest transaction.',
    )
  }),
]

// Of all fields together. Each has its newest records compared, which processes of an earlier version may have written.
const budgetMs = 20_000

const calculationCheck: DoctorCheck = {
  name: 'calculated values',
  run: async ({ database, definitions }) => {
    if (!definitions)
      return {
        level: 'unknown',
        value: 'the definitions are missing or have errors',
        advice: 'Compare with --project DIR, where "docket check" finds no error.',
      }
    return judge(await findDiffering(database, definitions, budgetMs))
  },
}

const nameOf = ({ entity, field }: ComparedField): string => `${entity}.${field}`

const judge = (fields: readonly ComparedField[]): Verdict => {
  const wrong = fields.filter(({ differing }) => differing > 0)
  const faulty = fields.filter(({ fault }) => fault !== undefined)
  const facts = { facts: fields }
  if (wrong.length > 0)
    return {
      level: 'fail',
      value: printSome(wrong.map(differences), wrong.length),
      advice:
        'Run "docket migrate --recalculate" when no process of an earlier version runs any more, and no SQL of your own writes what rollups read.',
      ...facts,
    }
  if (faulty.length > 0)
    return {
      level: 'unknown',
      value: `not compared: ${printSome(faulty.map((one) => `${nameOf(one)} (${one.fault})`))}`,
      ...facts,
    }
  return { level: 'ok', value: compared(fields), ...facts }
}

const differences = (one: ComparedField): string => {
  const { differing, ids, isComplete } = one
  const of = isComplete ? '' : ` of the newest ${one.compared}`
  const others = differing > ids.length ? ', …' : ''
  return `${nameOf(one)} differs in ${counted(differing, 'record')}${of} (${differing === 1 ? 'id' : 'ids'} ${ids.join(', ')}${others})`
}

const compared = (fields: readonly ComparedField[]): string => {
  if (fields.length === 0) return 'no field is calculated'
  const parts = fields.filter(({ isComplete }) => !isComplete)
  const newest = parts.map((one) => `the newest ${one.compared} of ${nameOf(one)}`)
  const all = `${counted(fields.length, 'field')} as defined`
  return parts.length === 0 ? all : `${all}; compared: ${printSome(newest)}`
}

export const doctorChecks: readonly DoctorCheck[] = [
  versionCheck,
  migrations,
  ...connectionChecks,
  ...workChecks,
  ...replicationChecks,
  ...upkeepChecks,
  filesCheck,
  calculationCheck,
  clockCheck,
  ...publicAddressChecks,
]
