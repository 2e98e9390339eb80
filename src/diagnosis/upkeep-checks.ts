/** What PostgreSQL has to keep up with: transaction ids, dead rows, and indexes and constraints that are not finished. */
import { counted } from '../counted.ts'
import { recordSchema, sql, text } from '../database/sql.ts'
import {
  checkRows,
  type DoctorCheck,
  type DoctorTarget,
  levelOf,
  printSeconds,
  printSome,
  type Verdict,
  verdict,
} from './check.ts'
import { collationsCheck, settingsCheck } from './server-checks.ts'

const ownSchemas = sql`(${text(recordSchema)}, 'docket')`

// PostgreSQL accepts no change from 2^31 minus three million transactions on.
const ageLimits = { warn: 1_000_000_000, fail: 1_600_000_000 }

type Age = { database: string; age: number; limit: number }

const ages = sql`
SELECT
  datname AS database,
  greatest(age(datfrozenxid), mxid_age(datminmxid)) AS age,
  current_setting('autovacuum_freeze_max_age')::integer AS limit
FROM pg_database
ORDER BY 2 DESC
LIMIT 1`

const judgeAge = ([row]: readonly Age[]): Verdict => {
  const { database = '', age = 0, limit = 0 } = row ?? {}
  const isLate = age > 1.5 * limit && age > limit + 50_000_000
  const level = levelOf(age, ageLimits)
  return verdict(
    level === 'ok' && isLate ? 'warn' : level,
    `${Math.round(age / 100_000) / 10} million of 2,147 million (${database})`,
    'Autovacuum does not keep up: end the oldest transaction, drop slots that nobody reads, then run VACUUM (FREEZE) in that database.',
  )
}

type Bloat = { name: string; dead: number; live: number; vacuumed: number | null }

const bloated = sql`
SELECT
  schemaname || '.' || relname AS name,
  n_dead_tup::bigint AS dead,
  n_live_tup::bigint AS live,
  extract(epoch FROM now() - greatest(last_autovacuum, last_vacuum))::bigint AS vacuumed
FROM pg_stat_user_tables
WHERE schemaname IN ${ownSchemas} AND n_dead_tup > 10000 AND n_dead_tup > 0.3 * (n_live_tup + n_dead_tup)
ORDER BY n_dead_tup DESC`

const judgeBloat = (rows: readonly Bloat[]): Verdict => {
  const words = rows.map(({ name, dead, live, vacuumed }) => {
    const share = Math.round((100 * dead) / (live + dead))
    const when = vacuumed === null ? 'never vacuumed' : `vacuumed ${printSeconds(vacuumed)} ago`
    return `${name} ${share} %, ${when}`
  })
  return verdict(
    rows.length > 0 ? 'warn' : 'ok',
    words.length === 0 ? 'no table has many' : printSome(words),
    'Run VACUUM (ANALYZE) on these tables. If the dead rows stay, an old transaction or a slot holds them; else make autovacuum faster (autovacuum_vacuum_cost_limit).',
  )
}

type Named = { name: string }

// One that is being built is not valid yet.
const invalidIndexes = sql`
SELECT x.indexrelid::regclass::text AS name
FROM pg_index x
JOIN pg_class c ON c.oid = x.indexrelid
WHERE NOT x.indisvalid
  AND c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ${ownSchemas})
  AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = x.indexrelid)
ORDER BY 1`

const unvalidated = sql`
SELECT conrelid::regclass::text || ' ' || quote_ident(conname) AS name
FROM pg_constraint
WHERE NOT convalidated
  AND connamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ${ownSchemas})
ORDER BY 1`

const judgeUnfinished = (noun: string, rows: readonly Named[]): Verdict =>
  verdict(
    rows.length > 0 ? 'warn' : 'ok',
    rows.length > 0
      ? `${counted(rows.length, noun)}: ${printSome(rows.map(({ name }) => name))}`
      : 'none',
    'A schema change was interrupted: "docket migrate" finishes what the definitions need; drop other ones yourself.',
  )

/** Until when months are made. */
type Ahead = { begins: string | null; days: number | null }

// The last partition takes every later notification.
const monthsAhead = sql`
SELECT to_char(at, 'YYYY-MM-DD') AS begins, floor(extract(epoch FROM at - now()) / 86400)::integer AS days
FROM (
  SELECT to_timestamp(max(('x' || lpad(left(replace(id, '-', ''), 12), 16, '0'))::bit(64)::bigint) / 1000.0) AS at
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  CROSS JOIN LATERAL substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM [(].([0-9a-f-]{36})') AS id
  WHERE i.inhparent = 'docket.notification'::regclass
) last`

// A worker makes them two months ahead: a nearer end says that none has run for long.
const aMonth = 28

const judgeMonths = ([row]: readonly Ahead[]): Verdict => {
  const { begins = null, days = null } = row ?? {}
  return verdict(
    days === null || days < aMonth ? 'warn' : 'ok',
    begins === null ? 'none is made' : `made until ${begins}`,
    'Nothing is lost, but later notifications share one partition: run "docket worker" as the role that owns the tables, or "docket migrate".',
  )
}

type Extension = { name: string; installed: string; available: string }

const extensions = sql`
SELECT name, installed_version AS installed, default_version AS available
FROM pg_available_extensions
WHERE installed_version <> default_version
ORDER BY name`

const judgeExtensions = (rows: readonly Extension[]): Verdict =>
  verdict(
    rows.length > 0 ? 'warn' : 'ok',
    printSome(rows.map((row) => `${row.name} ${row.installed}, available ${row.available}`)) ||
      'up to date',
    'ALTER EXTENSION NAME UPDATE, as its owner.',
  )

const monthsCheck = checkRows<Ahead, DoctorTarget>(
  'months of notifications',
  monthsAhead,
  judgeMonths,
)

export const upkeepChecks: readonly DoctorCheck[] = [
  checkRows('transaction ids', ages, judgeAge),
  checkRows('dead rows', bloated, judgeBloat),
  checkRows('invalid indexes', invalidIndexes, (rows: readonly Named[]) =>
    judgeUnfinished('index', rows),
  ),
  checkRows('unchecked constraints', unvalidated, (rows: readonly Named[]) =>
    judgeUnfinished('constraint', rows),
  ),
  monthsCheck,
  settingsCheck,
  checkRows('extensions', extensions, judgeExtensions),
  collationsCheck,
]
