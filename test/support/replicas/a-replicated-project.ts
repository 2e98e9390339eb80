/** A primary with standbys, and services that read from them. */
import assert from 'node:assert/strict'
import { migrate } from '../../../src/database/migrate.ts'
import { insertPerson } from '../a-person.ts'
import { workflowOf } from '../definitions/workflow-of.ts'
import { startOwnServer } from '../own-server.ts'
import { startTestService, type TestService } from '../service.ts'
import { startStandby } from '../standby.ts'
import { until } from '../wait.ts'

/** Reads what belongs to a group of the user, and what is named as their job. */
const memberRole = {
  key: 'member',
  permissions: {
    item: {
      read: true,
      export: true,
      conditions: {
        read: {
          $or: [
            { team: { $in: { $caller: 'groups.user_group' } } },
            { name: { $caller: 'job_title' } },
          ],
        },
      },
    },
  },
}

const files = {
  'entities/box.json': { key: 'box', fields: [{ key: 'name', type: 'string' }] },
  'entities/item.json': {
    key: 'item',
    displayField: 'name',
    fields: [
      { key: 'name', type: 'string' },
      { key: 'box', type: 'manyToOne', entity: 'box' },
      { key: 'team', type: 'manyToOne', entity: 'user_group' },
    ],
    workflow: workflowOf({
      open: [{ key: 'approve', kind: 'approveWorkflow', to: 'done' }],
      done: [],
    }),
  },
  'roles/member.json': memberRole,
}

export type Standby = Awaited<ReturnType<typeof startStandby>>

/** A user who writes nothing. */
export const reader = 'reader@example.com'

/** Starts a primary and its standbys, which have the settings. */
export const startReplicated = async (
  count: number,
  settings: Readonly<Record<string, string>> = {},
) => {
  const primary = await startOwnServer()
  await migrate(primary.pool)
  const standbys: Standby[] = []
  for (let number = 0; number < count; number++)
    standbys.push(await startStandby(primary, settings))
  const { connectionString, pool } = primary
  const start = async (environment: Readonly<Record<string, string>>) => {
    const database = { connectionString, pool, drop: async () => undefined }
    return startTestService(files, environment, database)
  }
  const addReader = () => insertPerson(pool, 'reader', 'administrator', { email: reader })
  /** Waits until the standbys have replayed what is committed now. */
  const untilReplayed = async () => {
    const { rows } = await pool.query('SELECT pg_current_wal_insert_lsn()::text AS position')
    for (const standby of standbys)
      await until('the standby has replayed everything', async () => {
        const { rowCount } = await standby.pool.query(
          'SELECT WHERE pg_last_wal_replay_lsn() >= $1::pg_lsn',
          [rows[0].position],
        )
        return rowCount === 1
      })
  }
  return { primary, standbys, start, addReader, untilReplayed }
}

/** Stops the replay of changes; they are received. */
export const pause = async ({ pool }: Standby) => {
  await pool.query('SELECT pg_wal_replay_pause()')
  await until('the replay is paused', async () => {
    const { rows } = await pool.query('SELECT pg_get_wal_replay_pause_state() AS state')
    return rows[0].state === 'paused'
  })
}
export const resume = ({ pool }: Standby) => pool.query('SELECT pg_wal_replay_resume()')

/** The values of a metric, by its label. */
export const metricOf = async (service: TestService, name: string) => {
  const { status, text } = await service.ask('GET', '/api/metrics')
  assert.equal(status, 200, text)
  const lines = text.matchAll(new RegExp(`^${name}\\{\\w+="([^"]*)"\\} (\\S+)$`, 'gm'))
  return new Map([...lines].map(([, label = '', value]) => [label, Number(value)]))
}

/** How many reads the primary has answered, and the replicas. */
export const readsOf = async (service: TestService) => {
  const reads = await metricOf(service, 'docket_reads_total')
  const primary = reads.get('primary') ?? 0
  return { primary, replicas: [...reads.values()].reduce((all, one) => all + one, 0) - primary }
}

/** Waits until a service uses as many replicas. */
export const untilUsed = (service: TestService, count: number) =>
  until(`${count} replicas are used`, async () => {
    const used = await metricOf(service, 'docket_replica_used')
    return [...used.values()].filter((one) => one === 1).length === count
  })

/** Waits until a service knows that its replicas have replayed everything. */
export const untilNothingLacks = (service: TestService) =>
  until('the replicas lack nothing', async () =>
    [...(await metricOf(service, 'docket_replica_lag_seconds')).values()].every((lag) => lag === 0),
  )

type Options = { readonly as?: string; readonly headers?: Readonly<Record<string, string>> }

/** Creates a record, and returns its id and the position of the answer. */
export const create = async (service: TestService, name: string, options: Options = {}) => {
  const { status, json, text, headers } = await service.ask('POST', '/item', {
    ...options,
    body: { name },
  })
  assert.equal(status, 201, text)
  return { id: json().id as number, position: headers.get('docket-position') ?? '' }
}

/** The names of all records in a list. */
export const namesIn = async (service: TestService, options: Options = {}): Promise<string[]> => {
  const { status, json, text } = await service.ask('GET', '/item?limit=100', options)
  assert.equal(status, 200, text)
  return json().data.map(({ name }: { name: string }) => name)
}
