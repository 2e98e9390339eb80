/** Replicas, replication slots and the archive of the write-ahead log. */
import { type Queryable, queryOnce } from '../database/pool.ts'
import { sql, text } from '../database/sql.ts'
import {
  checkRows,
  type DoctorCheck,
  type Level,
  levelOf,
  monitorAdvice,
  type OwnReplica,
  printBytes,
  printSeconds,
  printSome,
  type Verdict,
  verdict,
  worstOf,
} from './check.ts'

const lagLimits = { warn: 5, fail: 60 }
const gibibyte = 1024 ** 3

type Standby = { name: string; state: string | null; seconds: number | null; bytes: number | null }

const standbys = sql`
SELECT
  coalesce(nullif(application_name, ''), 'standby') AS name,
  state,
  extract(epoch FROM replay_lag)::bigint AS seconds,
  pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint AS bytes
FROM pg_stat_replication
ORDER BY replay_lag DESC NULLS LAST, application_name`

const judgeStandbys = (rows: readonly Standby[]): Verdict => {
  if (rows.length === 0) return { level: 'ok', value: 'none' }
  if (rows.some(({ state }) => state === null))
    return verdict('unknown', 'this role may not see them', monitorAdvice)
  const levels = rows.map(({ state, seconds }) => ({
    level: state === 'streaming' ? levelOf(seconds ?? 0, lagLimits) : ('warn' as const),
  }))
  const words = rows.map(
    ({ name, state, seconds, bytes }) =>
      `${name} ${state}, ${printSeconds(seconds ?? 0)} (${printBytes(bytes ?? 0)}) behind`,
  )
  return verdict(
    worstOf(levels),
    printSome(words),
    'See the log of the standby: its disk or network is too slow, a query of it holds recovery back (max_standby_streaming_delay), or it is not connected.',
  )
}

const current = sql`SELECT pg_current_wal_lsn()::text AS position`
const replayed = sql`
SELECT
  pg_is_in_recovery() AS is_standby,
  pg_last_wal_replay_lsn()::text AS position,
  coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::bigint AS seconds`

const distance = (to: string | null, from: string | null) => sql`
SELECT greatest(0, pg_wal_lsn_diff(${text(to)}::pg_lsn, ${text(from)}::pg_lsn))::bigint AS bytes`

type Replayed = { is_standby: boolean; position: string | null; seconds: number }

type Judged = { level: Level; words: string; advice?: string; facts?: object }

const awayAdvice = 'Until it is back, other replicas or the primary answer for it.'
const lateAdvice =
  'Beyond DATABASE_REPLICA_LAG_SECONDS other servers answer for it: see its log, and its long queries.'

const judgeReplica = async (database: Queryable, { name, found }: OwnReplica): Promise<Judged> => {
  if (typeof found === 'string') return { level: 'fail', words: found, advice: awayAdvice }
  const [at] = await queryOnce<{ position: string }>(database, current)
  const [row] = await queryOnce<Replayed>(found, replayed)
  if (!row?.is_standby)
    return {
      level: 'fail',
      words: `${name} is not a standby, or was promoted`,
      advice: 'The primary answers for it: correct the setting.',
    }
  const [behind] = await queryOnce<{ bytes: number }>(
    database,
    distance(at?.position ?? null, row.position),
  )
  const bytes = behind?.bytes ?? 0
  // Without changes on the primary the last one is old, but nothing is missing.
  const seconds = bytes === 0 ? 0 : row.seconds
  return {
    level: levelOf(seconds, lagLimits),
    words: `${name} ${printSeconds(seconds)} (${printBytes(bytes)}) behind`,
    advice: lateAdvice,
    facts: { name, bytes, seconds },
  }
}

const ownReplicas: DoctorCheck = {
  name: 'own replicas',
  run: async ({ database, replicas }) => {
    if (replicas.length === 0) return { level: 'ok', value: 'DATABASE_REPLICA_URL is not set' }
    const judged: Judged[] = []
    for (const replica of replicas) judged.push(await judgeReplica(database, replica))
    const level = worstOf(judged)
    const worst = judged.find((one) => one.level === level)
    const words = judged.map((one) => one.words)
    return {
      ...verdict(level, printSome(words), worst?.advice ?? ''),
      facts: judged.map(({ facts }) => facts ?? null),
    }
  },
}

type Slot = {
  slot: string
  isActive: boolean
  state: string | null
  bytes: number
}

const slots = sql`
SELECT
  slot_name AS slot,
  active AS "isActive",
  wal_status AS state,
  coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint AS bytes
FROM pg_replication_slots
ORDER BY bytes DESC`

const levelOfSlot = ({ isActive, state, bytes }: Slot): Level => {
  if (state === 'lost' || state === 'unreserved') return 'fail'
  if (isActive) return levelOf(bytes, { warn: 10 * gibibyte })
  return levelOf(bytes, { warn: 0, fail: 5 * gibibyte })
}

const judgeSlots = (rows: readonly Slot[]): Verdict => {
  const found = rows.map((row) => ({ ...row, level: levelOfSlot(row) }))
  const level = worstOf(found)
  const shown = level === 'ok' ? found : found.filter((one) => one.level !== 'ok')
  const words = shown.map(
    ({ slot, isActive, state, bytes }) =>
      `${slot} ${isActive ? 'active' : 'inactive'}${state === 'lost' ? ' and lost' : ''}, keeps ${printBytes(bytes)}`,
  )
  return verdict(
    level,
    words.length === 0 ? 'none' : printSome(words),
    "The write-ahead log of a slot that nobody reads fills the disk: reconnect its standby, or pg_drop_replication_slot('NAME').",
  )
}

type Archiver = {
  mode: string
  archived: number | null
  failed: number | null
  failures: number
}

const archiver = sql`
SELECT
  current_setting('archive_mode') AS mode,
  extract(epoch FROM now() - last_archived_time)::bigint AS archived,
  extract(epoch FROM now() - last_failed_time)::bigint AS failed,
  failed_count::integer AS failures
FROM pg_stat_archiver`

const judgeArchive = ([row]: readonly Archiver[]): Verdict => {
  if (!row || row.mode === 'off')
    return {
      level: 'unknown',
      value: 'PostgreSQL archives nothing, and does not know of other backups',
      advice: 'Make sure that backups are made, and restore one now and then (docs/backup.md).',
    }
  const archived = row.archived === null ? Number.POSITIVE_INFINITY : row.archived
  const failed = row.failed === null ? Number.POSITIVE_INFINITY : row.failed
  const last = row.archived === null ? 'nothing yet' : `${printSeconds(archived)} ago`
  const failures = row.failures > 0 ? `, ${row.failures} failures` : ''
  return verdict(
    failed < archived ? 'fail' : levelOf(archived, { warn: 86_400 }),
    `last archived: ${last}${failures}`,
    'See archive_command in the log of PostgreSQL: what is not archived cannot be restored, and stays on the disk. Set archive_timeout, so that quiet hours are archived too.',
  )
}

export const replicationChecks: readonly DoctorCheck[] = [
  checkRows('standbys', standbys, judgeStandbys),
  ownReplicas,
  checkRows('replication slots', slots, judgeSlots),
  checkRows('archive', archiver, judgeArchive),
]
