/** What stands behind an address: which server, how it is reached, and what the role may do there. */
import { randomBytes } from 'node:crypto'
import { raw, sql, texts } from '../database/sql.ts'
import {
  checkRows,
  levelOf,
  printSome,
  type ServerTarget,
  type TargetCheck,
  type Verdict,
  verdict,
} from './check.ts'
import {
  clockCheck,
  collationsCheck,
  mostOfServer,
  sessions,
  settingsCheck,
  versionCheck,
} from './server-checks.ts'

type State = {
  product: string
  readOnly: string
  isStandby: boolean
  encoding: string
  collation: string
  zone: string
}

const state = sql`
SELECT
  version() AS product,
  current_setting('transaction_read_only') AS "readOnly",
  pg_is_in_recovery() AS "isStandby",
  pg_encoding_to_char(encoding) AS encoding,
  datcollate || ' (' || CASE datlocprovider WHEN 'c' THEN 'libc' WHEN 'i' THEN 'ICU' ELSE 'builtin' END || ')' AS collation,
  current_setting('TimeZone') AS zone
FROM pg_database
WHERE datname = current_database()`

const ofState = (name: string, judge: (row: State) => Verdict): TargetCheck =>
  checkRows(name, state, ([row]: readonly State[]) =>
    row ? judge(row) : { level: 'unknown', value: 'this server does not say it' },
  )

type Encrypted = { ssl: boolean | null; version: string | null; local: boolean }

const encryption = sql`
SELECT s.ssl, s.version, inet_client_addr() IS NULL OR inet_client_addr() << '127.0.0.0/8' AS local
FROM pg_stat_ssl s
WHERE s.pid = pg_backend_pid()`

const isLocal = (host: string) =>
  host === '' || host.startsWith('/') || ['localhost', '127.0.0.1', '::1', '[::1]'].includes(host)

const judgeEncryption = ([row]: readonly Encrypted[], { host }: ServerTarget): Verdict => {
  if (isLocal(host)) return { level: 'ok', value: 'on this machine' }
  return verdict(
    row?.ssl ? 'ok' : 'warn',
    row?.ssl ? (row.version ?? 'TLS') : 'the last part of the way is not encrypted',
    'Passwords and records cross the network as they are: add sslmode=verify-full to the address, unless the network is trusted.',
  )
}

const sessionCheck: TargetCheck = {
  name: 'sessions',
  run: async ({ isPooled }) =>
    verdict(
      isPooled ? 'warn' : 'ok',
      isPooled ? 'a pooler assigns them per transaction' : 'one for each connection',
      'Use this address as DATABASE_URL, and that of the server itself as DATABASE_DIRECT_URL; check that one too.',
    ),
}

/** The name is known to the driver after the first time, so it prepares the statement once. */
const preparedCheck: TargetCheck = {
  name: 'prepared statements',
  run: async ({ database, other, isPooled }) => {
    const name = `docket_check_${randomBytes(8).toString('hex')}`
    await database.query({ name, text: 'SELECT 1' })
    await other.query('BEGIN')
    try {
      for (let count = 0; count < 3; count++) await database.query({ name, text: 'SELECT 1' })
      return { level: 'ok', value: 'kept' }
    } catch (error) {
      if (!isPooled) throw error
      return { level: 'ok', value: 'not kept; Docket prepares none behind a pooler' }
    } finally {
      // Behind a pooler it is in the session of one of the two.
      for (const client of [other, database])
        await client.query(`DEALLOCATE ${name}`).catch(() => undefined)
      await other.query('ROLLBACK')
    }
  },
}

type Rights = { mayCreate: boolean; owned: string | null; trigrams: string | null }

const ours = `('docket', 'records')`
const rights = sql`
SELECT
  has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
  (
    SELECT string_agg(nspname || ' of ' || pg_get_userbyid(nspowner), ', ')
    FROM pg_namespace
    WHERE nspname IN ${raw(ours)} AND NOT pg_has_role(nspowner, 'USAGE')
  ) AS owned,
  (SELECT coalesce(installed_version, 'available') FROM pg_available_extensions WHERE name = 'pg_trgm') AS trigrams`

const contents = sql`
SELECT n.nspname AS name, count(c.oid)::integer AS tables
FROM pg_namespace n
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
WHERE n.nspname IN ${raw(ours)}
GROUP BY 1
ORDER BY 1`

type Free = { free: number; most: number }

const free = sql`
SELECT
  ${mostOfServer} AS most,
  ${mostOfServer} - count(*)::integer AS free
${sessions}`

type Setting = { name: string; value: string }

/** Those that Docket does not set in each of its sessions. */
const settingsOfRole = {
  idle_session_timeout: '0',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  standard_conforming_strings: 'on',
  session_replication_role: 'origin',
  row_security: 'on',
}

const otherSettings = sql`
SELECT s.name, s.setting AS value
FROM unnest(${texts(Object.keys(settingsOfRole))}, ${texts(Object.values(settingsOfRole))}) wanted (name, value)
JOIN pg_settings s ON s.name = wanted.name AND s.setting <> wanted.value
ORDER BY s.name`

export const addressChecks: readonly TargetCheck[] = [
  versionCheck,
  ofState('product', ({ product }) => ({ level: 'ok', value: product.split(',')[0] ?? product })),
  ofState('accepts changes', ({ readOnly, isStandby }) =>
    verdict(
      readOnly === 'on' ? 'fail' : 'ok',
      isStandby ? 'no, it is a standby' : readOnly === 'on' ? 'no, it is read-only' : 'yes',
      'DATABASE_URL must lead to the primary; a standby may be DATABASE_REPLICA_URL.',
    ),
  ),
  ofState('encoding', ({ encoding }) =>
    verdict(
      encoding === 'UTF8' ? 'ok' : 'fail',
      encoding,
      `Create the database with ENCODING 'UTF8' TEMPLATE template0.`,
    ),
  ),
  ofState('collation', ({ collation }) => ({ level: 'ok', value: collation })),
  collationsCheck,
  ofState('time zone', ({ zone }) => ({
    level: 'ok',
    value: `${zone}; sessions of Docket use UTC`,
  })),
  checkRows('encryption', encryption, judgeEncryption),
  sessionCheck,
  preparedCheck,
  checkRows('free connections', free, ([row]: readonly Free[], { demand }: ServerTarget) => {
    const { free: left = 0, most = 0 } = row ?? {}
    return verdict(
      levelOf(demand, { warn: left + 1, fail: most + 1 }),
      `${left} of ${most}; one "docket start" may open ${demand}`,
      'Lower the sizes of pools (docs/operations.md), put a pooler in front of PostgreSQL (docs/deploy.md), or raise max_connections.',
    )
  }),
  checkRows('rights', rights, ([row]: readonly Rights[]) =>
    verdict(
      row?.mayCreate && row.owned === null ? 'ok' : 'fail',
      row?.owned
        ? `there is ${row.owned}`
        : row?.mayCreate
          ? 'may create schemas'
          : 'may not create schemas',
      'The role must own what Docket creates: make it the owner of the database and of these schemas, or GRANT CREATE ON DATABASE to it.',
    ),
  ),
  checkRows('pg_trgm', rights, ([row]: readonly Rights[]) =>
    verdict(
      row?.trigrams ? 'ok' : 'warn',
      row?.trigrams ?? 'missing',
      'Without this extension the search over all entities reads whole tables: install the contrib package of PostgreSQL.',
    ),
  ),
  checkRows('contents', contents, (rows: readonly { name: string; tables: number }[]) => ({
    level: 'ok',
    value: printSome(rows.map(({ name, tables }) => `${name} ${tables} tables`)) || 'empty',
  })),
  settingsCheck,
  checkRows('settings of the role', otherSettings, (rows: readonly Setting[]) =>
    verdict(
      rows.length > 0 ? 'warn' : 'ok',
      printSome(
        rows.map(({ name, value }) => `${name} = ${value}`),
        6,
      ) || 'as they should be',
      'ALTER ROLE NAME RESET ALL: other values end idle connections or change what statements mean.',
    ),
  ),
  clockCheck,
]
