/** Checks of any server, of a database in use and of one that is to be used: version, settings, collations, clock. */
import { type Queryable, queryOnce } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import {
  type Check,
  checkRows,
  type Level,
  levelOf,
  printSome,
  type Verdict,
  verdict,
  worstOf,
} from './check.ts'

type ServerCheck = Check<{ readonly database: Queryable }>

type Server = { version: string; number: number }

const server = sql`
SELECT
  current_setting('server_version') AS version,
  current_setting('server_version_num')::integer AS number`

export const versionCheck: ServerCheck = checkRows(
  'PostgreSQL',
  server,
  ([row]: readonly Server[]) =>
    verdict(
      (row?.number ?? 0) < 150_000 ? 'fail' : 'ok',
      row?.version ?? 'unknown',
      'Docket needs PostgreSQL 15 or newer.',
    ),
)

type Setting = { name: string; value: string }

/** The allowed values of each, how bad another one is, and why. */
const settings: Readonly<Record<string, readonly [allowed: readonly string[], Level, string]>> = {
  autovacuum: [['on'], 'fail', 'tables grow without limit'],
  track_counts: [['on'], 'fail', 'autovacuum does not work without it'],
  fsync: [['on'], 'fail', 'a crash can destroy the database'],
  full_page_writes: [['on'], 'fail', 'a crash can destroy the database'],
  synchronous_commit: [
    ['on', 'remote_apply', 'remote_write', 'local'],
    'warn',
    'a crash can lose changes that were answered',
  ],
}

const serverSettings = sql`
SELECT name, setting AS value
FROM pg_settings
WHERE name IN ('autovacuum', 'track_counts', 'fsync', 'full_page_writes', 'synchronous_commit')
ORDER BY name`

const judgeSettings = (rows: readonly Setting[]): Verdict => {
  const wrong = rows.flatMap(({ name, value }) => {
    const [allowed, level, why] = settings[name] ?? [[value], 'ok', '']
    return allowed.includes(value) ? [] : [{ level, words: `${name} = ${value}: ${why}` }]
  })
  return verdict(
    worstOf(wrong),
    wrong.map(({ words }) => words).join('; ') || 'as they should be',
    'Remove these lines from the configuration of PostgreSQL (ALTER SYSTEM RESET NAME), then SELECT pg_reload_conf().',
  )
}

export const settingsCheck: ServerCheck = checkRows('settings', serverSettings, judgeSettings)

type Collation = { name: string; stored: string; actual: string }

const collations = sql`
SELECT 'the database' AS name, datcollversion AS stored, pg_database_collation_actual_version(oid) AS actual
FROM pg_database
WHERE datname = current_database() AND datcollversion <> pg_database_collation_actual_version(oid)
UNION ALL
SELECT c.collname, c.collversion, pg_collation_actual_version(c.oid)
FROM pg_collation c
WHERE c.collversion <> pg_collation_actual_version(c.oid)
  AND EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_collation'::regclass AND d.refobjid = c.oid)`

const judgeCollations = (rows: readonly Collation[]): Verdict =>
  verdict(
    rows.length > 0 ? 'fail' : 'ok',
    printSome(rows.map(({ name, stored, actual }) => `${name} ${stored}, now ${actual}`)) ||
      'as when indexes were built',
    'Texts are in another order than their indexes, which can miss records: REINDEX DATABASE, then ALTER DATABASE NAME REFRESH COLLATION VERSION.',
  )

export const collationsCheck: ServerCheck = checkRows('collations', collations, judgeCollations)

const clock = sql`SELECT (1000 * extract(epoch FROM clock_timestamp()))::bigint AS now`
const clockLimits = { warn: 1, fail: 30 }

export const clockCheck: ServerCheck = {
  name: 'clock',
  run: async ({ database }) => {
    const begun = Date.now()
    const [row] = await queryOnce<{ now: number }>(database, clock)
    const ended = Date.now()
    const ahead = (row?.now ?? 0) - (begun + ended) / 2
    // The answer may have taken all of this time to arrive.
    const seconds = Math.round(Math.max(0, Math.abs(ahead) - (ended - begun) / 2)) / 1000
    return {
      ...verdict(
        levelOf(seconds, clockLimits),
        `${seconds} s between this machine and PostgreSQL`,
        'Synchronize the clocks of both machines (NTP): times of records, retries and tokens depend on them.',
      ),
      facts: { seconds },
    }
  },
}

/** Open connections of users, `a`. For other roles, a role without pg_monitor sees no backend_type. */
export const sessions = sql`
FROM pg_stat_activity a
WHERE a.datid IS NOT NULL AND coalesce(a.backend_type, 'client backend') = 'client backend'`

/** Connections that users may open on the server. */
export const mostOfServer = sql`
current_setting('max_connections')::integer
  - current_setting('superuser_reserved_connections')::integer
  - coalesce(current_setting('reserved_connections', true), '0')::integer`
