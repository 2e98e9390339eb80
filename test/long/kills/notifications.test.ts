/** Each change notifies each recipient exactly once, however often processes are killed. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../../src/database/pool.ts'
import { afterwards } from '../../support/afterwards.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { type OwnServer, startOwnServer } from '../../support/own-server.ts'
import {
  assertNotifiedOnce,
  expectedLines,
  expectedOf,
  groups,
  killsOf,
  makeJobsDue,
  newRandom,
  type Running,
  startProject,
  stop,
  type TestProject,
} from '../../support/processes/a-notification-project.ts'
import { until } from '../../support/wait.ts'

/** Four clients that create and submit requests, as many as allowed. */
const startWriting = ({ ask, ids }: Pick<TestProject, 'ask' | 'ids'>) => {
  const { seed, random } = newRandom()
  // Counts the changes by status; 0 stands for no response.
  const answers: Record<number, number> = {}
  let [allowed, begun, isOver] = [0, 0, false]
  const change = async (path: string, body: object) => {
    const answer = await ask('POST', path, body).catch(() => ({ status: 0, body: undefined }))
    answers[answer.status] = (answers[answer.status] ?? 0) + 1
    return answer
  }
  const write = async () => {
    while (!isOver) {
      await delay(random() * 20)
      if (begun === allowed) continue
      const total = begun++ % 200
      const approver_id = ids[Math.floor(random() * ids.length)]
      const { status, body } = await change('/request', { approver_id, total })
      if (status === 201) await change(`/request/${body.id}/proceedToStep`, { action: 'submit' })
    }
  }
  const writers = Array.from({ length: 4 }, write)
  const end = async () => {
    isOver = true
    await Promise.all(writers)
    return answers
  }
  afterwards(end)
  /** Allows more requests, and waits until some of them are sent. */
  const allow = async (more: number, part: number) => {
    const last = allowed + Math.floor(more * part)
    allowed += more
    await until(`${last} requests are sent`, () => begun >= last)
  }
  return { seed, random, allow, end }
}

const jobs = 'docket.job'
const isAlive = `status <> 'dead'`

const countOf = async (pool: Pool, table: string): Promise<number> =>
  (await pool.query(`SELECT count(*) AS count FROM ${table}`)).rows[0].count

/** Waits until every job is done or dead. Makes jobs due, so that none waits for its retry time. */
const untilDone = (pool: Pool, makesDue = false) =>
  until('every job is done', async () => {
    if (makesDue) await makeJobsDue(pool)
    return (await countOf(pool, `${jobs} WHERE ${isAlive}`)) === 0
  })

const countRunningJobs = (pool: Pool, { child }: Running) =>
  countOf(pool, `${jobs} WHERE status = 'running' AND worker LIKE '%:${child.pid}:%'`)

/** Waits until a worker is running a job, or until there is none for it. */
const untilBusy = (pool: Pool, worker: Running) =>
  until('a worker is busy', async () => {
    const due = await countOf(pool, `${jobs} WHERE status <> 'running' AND due_at <= now()`)
    return due === 0 || (await countRunningJobs(pool, worker)) > 0
  })

// Each start takes a second of CPU time, and longer under load.
test('300 record changes each notify once while workers are killed', {
  timeout: 240_000,
}, async (t) => {
  const kills = killsOf(12)
  const each = Math.ceil(300 / kills)
  const project = await startProject(t)
  const { seed, random, ...writing } = startWriting(project)
  const workers = [1, 2, 3].map(project.startWorker)
  let interrupted = 0
  for (let killed = 0; killed < kills; killed++) {
    const worker = workers.shift() as Running
    await writing.allow(each, random())
    // Half of them are killed while running jobs, half while they start.
    if (random() < 0.5) await worker.up.then(() => untilBusy(project.pool, worker))
    await delay(random() * 100)
    worker.child.kill('SIGKILL')
    workers.push(project.startWorker())
    interrupted += await countRunningJobs(project.pool, worker)
  }
  await writing.allow(0, 1)
  const all = kills * each
  assert.deepEqual({ seed, ...(await writing.end()) }, { seed, 200: all, 201: all })
  await untilDone(project.pool, true)
  await assertNotifiedOnce(project.pool, await expectedOf(project.pool), seed)
  // A worker that is still starting is ended by the signal itself.
  await Promise.all(workers.map(({ up }) => up))
  assert.notEqual(interrupted, 0, `${seed}: no job was interrupted`)
  await stop(...workers, project.service)
})

/** Stops the server as an operator does, and starts it a little later. */
const restart = async ({ stop: end, start }: OwnServer, awayMs: number) => {
  await end()
  await delay(awayMs)
  await start()
}

test('PostgreSQL stops or crashes five times: each stored record notifies once', async (t) => {
  const database = await startOwnServer()
  const { pool, ...project } = await startProject(t, { database })
  const workers = [project.startWorker(), project.startWorker()]
  await Promise.all(workers.map(({ up }) => up))
  const { seed, random, ...writing } = startWriting(project)
  for (const how of ['stop', 'crash', 'stop', 'crash', 'stop'] as const) {
    const before = await countOf(pool, 'docket.notification')
    await writing.allow(60, random() / 2)
    await until('one is stored', async () => (await countOf(pool, 'docket.notification')) > before)
    await delay(random() * 100)
    await (how === 'stop' ? restart(database, random() * 300) : database.crash())
  }
  await writing.allow(0, 1)
  const { 200: submitted = 0, 201: created = 0, 503: rejected = 0, ...others } = await writing.end()
  assert.deepEqual({ seed, others }, { seed, others: {} })
  await untilDone(pool, true)
  // A rejected change may be stored all the same; a confirmed one is stored.
  const there = await countOf(pool, 'records.request')
  assert.ok(there >= created && there <= created + rejected, `${seed}: ${created} of ${there}`)
  assert.ok((await countOf(pool, `records.request WHERE _step = 'review'`)) >= submitted, `${seed}`)
  await assertNotifiedOnce(pool, await expectedOf(pool), seed)
  await stop(...workers, project.service)
})

// A template that exceeds its limits, a rule with a missing group, a record that a handler rejects.
const [heavy, late, rejected] = [1_000_000_000, 500, 7]
const letter = {
  key: 'letter',
  fields: [{ key: 'weight', type: 'integer' }],
  hooks: [...hooks, { type: 'message', hookType: 'AfterChange', functionName: 'post' }],
  notifications: [
    {
      operation: 'create',
      recipient: { userGroups: ['auditors'] },
      content: { icon: 'long', title: '{% for i in (1..record.weight) %}.{% endfor %}' },
    },
    {
      operation: 'create',
      condition: { weight: late },
      recipient: { userFields: ['_created_by'], userGroups: ['late'] },
      content: { icon: 'late' },
    },
    { operation: 'create', recipient: { userGroups: ['buyers'] }, content: { icon: 'well' } },
  ],
}
const failing = `exports.exec = ({ record }) => { if (record.weight === ${rejected}) throw new Error('Closed.') }`
const fixed = `exports.exec = ({ record, log }) => log.info('posted', record.weight, 'g')`

test('a job that always fails becomes dead, blocks no other, and notifies once after the fix', async (t) => {
  const more = { 'entities/letter.json': letter, 'message-handlers/post.cjs': failing }
  const { pool, directory, ...project } = await startProject(t, { more })
  const ask = async (status: number, method: string, path: string, body?: object) => {
    const answer = await project.ask(method, path, body)
    assert.equal(answer.status, status)
    return answer.body
  }
  const worker = project.startWorker()
  const ids: number[] = []
  for (const weight of [heavy, late, rejected, 1])
    ids.push((await ask(201, 'POST', '/letter', { weight })).id)
  await untilDone(pool, true)
  ids.push((await ask(201, 'POST', '/letter', { weight: 2 })).id)
  await untilDone(pool)
  const [a, b, c] = ids
  const known = [
    ...ids.map((id) => expectedLines(`letter ${id} well`, groups.buyers)),
    ...ids.slice(1).map((id) => expectedLines(`letter ${id} long`, groups.auditors)),
    // A missing group blocks no other recipient and no job.
    expectedLines(`letter ${b} late`, ['Administrator']),
  ].flat()
  await assertNotifiedOnce(pool, known)
  const { data: dead } = await ask(200, 'GET', '/api/jobs?status=dead')
  const shown: string[] = []
  for (const { payload, task, attempts, last_error } of dead)
    shown.push([payload.entity_id, task, attempts, last_error].join(' '))
  assert.deepEqual(shown, [
    `${c} message.handle 25 The message handler "post" threw "Closed.".`,
    `${a} notification.send 25 notifications[0]: memory alloc limit exceeded, line:1, col:1`,
  ])
  for (const id of ids) await ask(200, 'GET', `/letter/${id}`)
  await stop(worker)
  await ask(200, 'PATCH', `/letter/${a}`, { weight: 3 })
  await writeFile(join(directory, 'message-handlers', 'post.cjs'), fixed)
  const second = project.startWorker()
  for (const { id } of dead) await ask(200, 'POST', `/api/jobs/${id}/retry`)
  await untilDone(pool)
  await assertNotifiedOnce(pool, [...known, ...expectedLines(`letter ${a} long`, groups.auditors)])
  assert.equal((await stop(second))[0]?.match(/posted 7 g/g)?.length, 1)
})
