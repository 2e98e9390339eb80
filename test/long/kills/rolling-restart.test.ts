/** Processes behind a balancer are restarted one after the other, and no request notices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBalancer } from '../../support/balancer.ts'
import { createTestDatabase } from '../../support/database.ts'
import { tokenOf } from '../../support/docket.ts'
import { endWell, startUp } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'
import { startSteadyRequests } from '../../support/steady-requests.ts'

const project = {
  'entities/order.json': { key: 'order', fields: [{ key: 'number', type: 'integer' }] },
}

const startOne = (environment: Record<string, string>, PORT = '0') =>
  startUp({ ...environment, PORT }, ['--no-jobs'])

test('a rolling restart fails no read and no keyed create, and each create is done once', async () => {
  const database = await createTestDatabase()
  const directory = await writeProject(project)
  const environment = {
    DATABASE_URL: database.connectionString,
    PROJECT: directory,
    // Many times what the balancer needs, for a busy machine.
    DRAIN_SECONDS: '5',
    REQUESTS_PER_CALLER: '0',
    REQUESTS_PER_ADDRESS: '0',
  }
  const processes = [await startOne(environment), await startOne(environment)]
  const balancer = await startBalancer(processes.map(({ base }) => base))
  for (const { base } of processes) await balancer.untilTaken(base)
  const token = await tokenOf(directory, environment)
  const ask = async (status: number, path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${token}`, ...init.headers }
    const answer = await fetch(`${balancer.url}${path}`, { ...init, headers })
    const text = await answer.text()
    assert.equal(answer.status, status, text)
  }
  const create = (number: number) =>
    ask(201, '/order', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `order-${number}` },
      body: JSON.stringify({ number }),
    })
  const requests = startSteadyRequests({
    perSecond: 50,
    send: (turn) => (turn % 2 === 0 ? create(turn) : ask(200, '/order?limit=5')),
  })
  const restarted: typeof processes = []
  for (const one of processes) {
    await endWell(one)
    restarted.push(await startOne(environment, new URL(one.base).port))
    await balancer.untilTaken(one.base)
  }
  const { count, failures } = await requests.stop()
  assert.deepEqual(failures, [])
  const { rows } = await database.pool.query<{ made: number; different: number }>(
    'SELECT count(*)::int AS made, count(DISTINCT number)::int AS different FROM records."order"',
  )
  const made = Math.ceil(count / 2)
  assert.deepEqual(rows, [{ made, different: made }])
  await Promise.all(restarted.map((one) => endWell(one)))
})
