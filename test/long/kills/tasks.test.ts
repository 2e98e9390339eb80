/** Each assignment of a task notifies exactly once, whatever is killed and however the task changes meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../../src/database/pool.ts'
import {
  killsOf,
  makeJobsDue,
  newRandom,
  type Running,
  startProject,
  stop,
  type TestProject,
} from '../../support/processes/a-notification-project.ts'
import { until } from '../../support/wait.ts'

/** What clients do to tasks, with a line for each confirmed assignment. */
const startAssigning = async (
  { ask, ids }: Pick<TestProject, 'ask' | 'ids'>,
  random: () => number,
) => {
  const expected: string[] = []
  const must = async (status: number, method: string, path: string, body?: object) => {
    const answer = await ask(method, path, body)
    assert.equal(answer.status, status, `${method} ${path}`)
    return answer.body
  }
  const { id: record } = await must(201, 'POST', '/request', { approver_id: ids[0], total: 1 })
  const randomUserId = () => ids[Math.floor(random() * ids.length)]
  let tasks = 0
  /** A task that is assigned to one user after the other, then completed, removed or left open. */
  const one = async () => {
    const description = `T${tasks++}`
    let assigne_id = randomUserId()
    const body = { description, assigne_id, due_date: new Date(Date.now() + 1e11).toISOString() }
    const { id } = await must(201, 'POST', `/request/${record}/task`, body)
    expected.push(`${description} ${assigne_id}`)
    for (let times = Math.floor(random() * 4); times > 0; times--) {
      const next = randomUserId()
      await must(204, 'PUT', `/request/${record}/${id}`, { assigne_id: next })
      if (next !== assigne_id) expected.push(`${description} ${next}`)
      assigne_id = next
    }
    const end = random()
    if (end < 0.4) await must(204, 'PUT', `/request/${record}/${id}`, { is_completed: true })
    else if (end < 0.6) await must(204, 'DELETE', `/request/${record}/${id}`)
  }
  return { expected, some: (count: number) => Promise.all(Array.from({ length: count }, one)) }
}

const assigned = `SELECT substring(n.content ->> 'message' FROM 'T\\d+') || ' ' || n.user_id AS line
  FROM docket.notification n WHERE n.content ->> 'icon' = 'clipboard'`
const untilDone = (pool: Pool) =>
  until('every job is done', async () => {
    // A result that could not be stored is found when the dead worker is checked a second time.
    await makeJobsDue(pool)
    return (await pool.query('SELECT FROM graphile_worker._private_jobs')).rowCount === 0
  })

test('tasks are reassigned and completed while workers are killed', {
  timeout: 240_000,
}, async (t) => {
  const project = await startProject(t)
  // Blocked users cannot be assigned.
  const { rows } = await project.pool.query(`SELECT id FROM records."user" WHERE NOT is_blocked`)
  const ids = rows.map(({ id }) => id)
  const { seed, random } = newRandom()
  const { expected, some } = await startAssigning({ ...project, ids }, random)
  const workers = [1, 2].map(project.startWorker)
  for (let kills = killsOf(10); kills > 0; kills--) {
    const worker = workers.shift() as Running
    const given = some(6)
    if (random() < 0.5) await worker.up
    await delay(random() * 60)
    worker.child.kill('SIGKILL')
    workers.push(project.startWorker())
    await given
  }
  await untilDone(project.pool)
  const { rows: found } = await project.pool.query<{ line: string }>(assigned)
  const lines = found.map(({ line }) => line).filter((line) => line !== null)
  assert.deepEqual({ seed, lines: lines.toSorted() }, { seed, lines: expected.toSorted() })
  await Promise.all(workers.map(({ up }) => up))
  await stop(...workers, project.service)
})
