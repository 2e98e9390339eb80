/** `docket doctor` and `docket check-database` beside a standby: how far it is behind, and that it is no primary. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Level } from '../../../src/diagnosis/check.ts'
import { runDocket } from '../../support/docket.ts'
import { type OwnServer, startOwnServer } from '../../support/own-server.ts'
import { startStandby } from '../../support/standby.ts'
import { until } from '../../support/wait.ts'

let primary: OwnServer
let standby: Awaited<ReturnType<typeof startStandby>>
before(async () => {
  primary = await startOwnServer()
  standby = await startStandby(primary)
  await until('the standby streams', async () => {
    const found = await primary.pool.query(
      `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn = pg_current_wal_lsn()`,
    )
    return found.rowCount === 1
  })
})

type Found = { check: string; level: Level; value: string }

const examine = async (args: readonly string[], environment: Record<string, string> = {}) => {
  const { out, err } = await runDocket([...args, '--json'], environment)
  assert.notEqual(out, '', err)
  const { checks }: { checks: Found[] } = JSON.parse(out)
  return (name: string) => {
    const one = checks.find(({ check }) => check === name)
    return [one?.level, one?.value] as const
  }
}

const settings = () => ({
  DATABASE_URL: primary.connectionString,
  DATABASE_REPLICA_URL: standby.connectionString,
})

test('a standby that follows is ok, and one whose recovery is paused says how much it lacks', async () => {
  // PostgreSQL itself writes to its log now and then.
  await until('nothing is missing on the standby', async () => {
    const of = await examine(['doctor'], settings())
    return (
      /^ok,\S+ streaming, 0 s \(0 bytes\) behind$/.test(of('standbys').join()) &&
      /^ok,\S+ 0 s \(0 bytes\) behind$/.test(of('own replicas').join())
    )
  })
  await standby.pool.query('SELECT pg_wal_replay_pause()')
  await primary.pool.query('CREATE TABLE grown AS SELECT generate_series(1, 100000) AS id')
  await until('the standby has received it', async () => {
    const found = await standby.pool.query(
      'SELECT WHERE pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn()',
    )
    return found.rowCount === 1
  })
  const paused = await examine(['doctor'], settings())
  assert.match(paused('own replicas').join(), /\([\d.]+ MiB\) behind$/)
  await standby.pool.query('SELECT pg_wal_replay_resume()')
})

test('a standby does not accept changes, so it suits as a replica alone', async () => {
  const of = await examine(['check-database', standby.connectionString])
  assert.deepEqual(of('accepts changes'), ['fail', 'no, it is a standby'])
  assert.equal(of('trial')[0], 'unknown')
})

test('a replica that is away is one line, and the rest is examined', async () => {
  const gone = {
    ...settings(),
    DATABASE_REPLICA_URL: 'postgres://docket:geheim@127.0.0.1:1/docket',
  }
  const of = await examine(['doctor'], gone)
  const [level, value] = of('own replicas')
  assert.equal(level, 'fail')
  assert.match(
    value ?? '',
    /^PostgreSQL does not answer at 127\.0\.0\.1:1 .* DATABASE_REPLICA_URL\.$/,
  )
  assert.equal(of('clock')[0], 'ok')
})
