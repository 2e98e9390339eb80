/** Connections: how many there are, how many Docket may open, and what the longest transactions hold back. */
import { counted } from '../counted.ts'
import { sql } from '../database/sql.ts'
import {
  checkRows,
  type DoctorCheck,
  type DoctorTarget,
  levelOf,
  monitorAdvice,
  printSeconds,
  printSome,
  type Verdict,
  verdict,
} from './check.ts'
import { mostOfServer, sessions } from './server-checks.ts'

type Used = { place: string; most: number; name: string; used: number }

/** By place with a limit, and by application. */
const used = sql`
WITH place AS (
  SELECT 'the server' AS place, ${mostOfServer} AS most, NULL::oid AS datid, NULL::oid AS usesysid
  UNION ALL
  SELECT 'the database', datconnlimit, oid, NULL
  FROM pg_database
  WHERE datname = current_database() AND datconnlimit >= 0
  UNION ALL
  SELECT 'the role', rolconnlimit, NULL, oid
  FROM pg_roles
  WHERE rolname = current_user AND rolconnlimit >= 0
), session AS (
  SELECT a.datid, a.usesysid, coalesce(nullif(a.application_name, ''), 'without a name') AS name
  ${sessions}
)
SELECT p.place, p.most, s.name, count(*)::integer AS used
FROM place p
JOIN session s ON (p.datid IS NULL OR s.datid = p.datid) AND (p.usesysid IS NULL OR s.usesysid = p.usesysid)
GROUP BY 1, 2, 3
ORDER BY count(*) DESC, s.name`

const judgeUsed = (rows: readonly Used[]): Verdict => {
  const places = [...Map.groupBy(rows, ({ place }) => place).values()].map((own) => {
    const count = own.reduce((sum, one) => sum + one.used, 0)
    const most = own[0]?.most ?? 0
    return { own, count, most, share: count / Math.max(1, most) }
  })
  const fullest = places.toSorted((a, b) => b.share - a.share)[0]
  if (!fullest) return { level: 'unknown', value: 'PostgreSQL shows no sessions' }
  const { own, count, most, share } = fullest
  const names = own.map(({ name, used: number }) => `${name} ${number}`)
  return verdict(
    levelOf(share, { warn: 0.8, fail: 0.95 }),
    `${count} of ${most} of ${own[0]?.place}: ${printSome(names, 5)}`,
    'Close what is not needed, lower the sizes of pools (docs/operations.md), put a pooler in front of PostgreSQL (docs/deploy.md), or raise max_connections.',
  )
}

type Processes = { most: number; processes: number; workers: number }

const processes = sql`
SELECT
  ${mostOfServer} AS most,
  count(*) FILTER (WHERE a.application_name = 'docket listener')::integer AS processes,
  count(DISTINCT a.application_name) FILTER (
    WHERE a.application_name LIKE 'docket worker %'
  )::integer AS workers
${sessions} AND a.datname = current_database()`

type Old = { who: string; state: string | null; seconds: number; isSeen: boolean }

// A transaction that is prepared stays open without a session.
const oldest = sql`
SELECT
  'pid ' || a.pid || coalesce(' (' || nullif(a.application_name, '') || ')', '') AS who,
  a.state,
  coalesce(extract(epoch FROM clock_timestamp() - a.xact_start), 0)::bigint AS seconds,
  a.backend_type IS NOT NULL AS "isSeen"
${sessions} AND a.pid <> pg_backend_pid() AND (a.xact_start IS NOT NULL OR a.backend_type IS NULL)
UNION ALL
SELECT
  'prepared transaction ' || quote_literal(p.gid), 'prepared',
  extract(epoch FROM clock_timestamp() - p.prepared)::bigint, true
FROM pg_prepared_xacts p
ORDER BY seconds DESC`

export const connectionChecks: readonly DoctorCheck[] = [
  checkRows('connections', used, judgeUsed),
  checkRows('own demand', processes, ([row]: readonly Processes[], { demand }: DoctorTarget) => {
    const { most = 0, processes: running = 0, workers = 0 } = row ?? {}
    const one = demand.requests + demand.jobs + demand.process
    const needed = running * (demand.requests + demand.process) + workers * demand.jobs
    const all = Math.max(one, needed) + demand.start
    const of = running > 1 ? `${running} processes` : 'one "docket start"'
    return verdict(
      levelOf(all, { warn: most + 1 }),
      `${of} may open ${all} of ${most} connections`,
      'Lower DATABASE_POOL_SIZE, EXPORTS_AT_ONCE and JOBS_POOL_SIZE, put a pooler in front of PostgreSQL (docs/deploy.md), or raise max_connections.',
    )
  }),
  checkRows('oldest transaction', oldest, (rows: readonly Old[]) => {
    const [first] = rows
    const hidden = rows.filter(({ isSeen }) => !isSeen).length
    const seconds = first?.seconds ?? 0
    const level = levelOf(seconds, { warn: 900, fail: 14_400 })
    if (level === 'ok' && hidden > 0)
      return verdict('unknown', `${counted(hidden, 'session')} of other roles`, monitorAdvice)
    const state = first?.state ? `, ${first.state}` : ''
    return verdict(
      level,
      first ? `${printSeconds(seconds)}: ${first.who}${state}` : 'none',
      'PostgreSQL keeps every row that it may see, and schema changes wait for it: end it with pg_terminate_backend(PID), or ROLLBACK PREPARED.',
    )
  }),
]
