/** Whatever is killed, however often: each change tells each recipient of each entry just once. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { hooks } from '../notifications/an-engine.ts'
import { afterwards } from '../support/afterwards.ts'
import { until } from '../support/wait.ts'
import {
  assertToldOnce,
  expectedOf,
  groups,
  type House,
  killsOf,
  linesOf,
  newRandom,
  openHouse,
  type Running,
  stop,
} from './a-told-project.ts'

/** Four callers who create requests and submit each, as many as they are allowed. */
const startWriting = ({ ask, ids }: Pick<House, 'ask' | 'ids'>) => {
  const { seed, random } = newRandom()
  // How many changes were answered with each status; 0 stands for no answer.
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
  /** Allows so many more requests, and waits until a part of them is begun. */
  const go = async (more: number, part: number) => {
    const last = allowed + Math.floor(more * part)
    allowed += more
    await until(`${last} requests are begun`, () => begun >= last)
  }
  return { seed, random, go, end }
}

const jobs = 'graphile_worker._private_jobs'
const isAlive = '(attempts < max_attempts OR locked_at IS NOT NULL)'

const countOf = async (pool: Pool, table: string): Promise<number> =>
  (await pool.query(`SELECT count(*) AS count FROM ${table}`)).rows[0].count

/** Waits until every job is done or dead; in a hurry, what waits for a time need not wait for it. */
const untilDone = (pool: Pool, isInHurry = false) =>
  until('every job is done', async () => {
    if (isInHurry) await hurry(pool)
    return (await countOf(pool, `${jobs} WHERE ${isAlive}`)) === 0
  })

/** A next try is due now, and a worker that was found dead is looked at a second time. */
const hurry = (pool: Pool) =>
  pool.query(
    `UPDATE docket.worker SET lost_at = lost_at - interval '4 minutes' WHERE lost_at < now() - interval '2 seconds';
     WITH due AS (UPDATE ${jobs} SET run_at = now() WHERE ${isAlive} AND locked_at IS NULL AND run_at > now() RETURNING id)
     SELECT pg_notify('jobs:insert', json_build_object('r', random(), 'count', count(*))::text) FROM due HAVING count(*) > 0`,
  )

const inHandOf = (pool: Pool, { child }: Running) =>
  countOf(pool, `${jobs} WHERE locked_by LIKE '%:${child.pid}:%'`)

/** Waits until a worker has a job in hand, or until there is none for it. */
const untilBusy = (pool: Pool, worker: Running) =>
  until('a worker is busy', async () => {
    const due = await countOf(pool, `${jobs} WHERE locked_at IS NULL AND run_at <= now()`)
    return due === 0 || (await inHandOf(pool, worker)) > 0
  })

// Each start is a second of a processor, and longer where others want it too.
test('300 records that change tell all once while workers are killed', {
  timeout: 240_000,
}, async (t) => {
  const kills = killsOf(12)
  const each = Math.ceil(300 / kills)
  const house = await openHouse(t)
  const { seed, random, ...writing } = startWriting(house)
  const workers = [1, 2, 3].map(house.startWorker)
  let cut = 0
  for (let killed = 0; killed < kills; killed++) {
    const worker = workers.shift() as Running
    await writing.go(each, random())
    // Half of them are killed with jobs in hand, half while they start.
    if (random() < 0.5) await worker.up.then(() => untilBusy(house.pool, worker))
    await delay(random() * 100)
    worker.child.kill('SIGKILL')
    workers.push(house.startWorker())
    cut += await inHandOf(house.pool, worker)
  }
  await writing.go(0, 1)
  const all = kills * each
  assert.deepEqual({ seed, ...(await writing.end()) }, { seed, 200: all, 201: all })
  await untilDone(house.pool, true)
  await assertToldOnce(house.pool, await expectedOf(house.pool), seed)
  // One that still starts is ended by the signal itself.
  await Promise.all(workers.map(({ up }) => up))
  assert.notEqual(cut, 0, `${seed}: no job was cut`)
  await stop(...workers, house.service)
})

/** A PostgreSQL of the test's own, to be ended and started again. */
const startServer = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'docket-told-'))
  const observe = () => undefined
  const start = () => startEmbedded({ directory, settings: { fsync: 'off' }, observe })
  let server = await start()
  afterwards(() => rm(directory, { recursive: true, force: true }))
  afterwards(() => server.stop())
  const pool = createPool({ ...server, size: 4, observe })
  afterwards(() => pool.end())
  const pidFile = join(directory, 'postgres', 'postmaster.pid')
  // The file goes and comes while it is looked for.
  const numberOf = async () => Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
  const restart = async (awayMs: number) => {
    await server.stop()
    await until('the server is gone', () => !existsSync(pidFile))
    await delay(awayMs)
    server = await start()
  }
  /** Whoever uses the embedded server starts it again. */
  const crash = async () => {
    const before = await numberOf()
    process.kill(before, 'SIGQUIT')
    await until('the server is back', async () => {
      const now = await numberOf()
      return !Number.isNaN(now) && now !== before
    })
    await until('the server answers', () =>
      pool.query('SELECT').then(
        () => true,
        () => false,
      ),
    )
  }
  return { connectionString: server.connectionString, pool, restart, crash }
}

test('PostgreSQL is stopped or crashes five times: each record that is there tells once', async (t) => {
  const database = await startServer()
  const { pool, ...house } = await openHouse(t, { database })
  const workers = [house.startWorker(), house.startWorker()]
  await Promise.all(workers.map(({ up }) => up))
  const { seed, random, ...writing } = startWriting(house)
  for (const way of ['stop', 'crash', 'stop', 'crash', 'stop'] as const) {
    const before = await countOf(pool, 'docket.notification')
    await writing.go(60, random() / 2)
    await until('one is told', async () => (await countOf(pool, 'docket.notification')) > before)
    await delay(random() * 100)
    await (way === 'stop' ? database.restart(random() * 300) : database.crash())
  }
  await writing.go(0, 1)
  const { 200: submitted = 0, 201: created = 0, 503: refused = 0, ...others } = await writing.end()
  assert.deepEqual({ seed, others }, { seed, others: {} })
  await untilDone(pool, true)
  // What was refused may be there all the same; what was answered is.
  const there = await countOf(pool, 'records.request')
  assert.ok(there >= created && there <= created + refused, `${seed}: ${created} of ${there}`)
  assert.ok((await countOf(pool, `records.request WHERE _step = 'review'`)) >= submitted, `${seed}`)
  await assertToldOnce(pool, await expectedOf(pool), seed)
  await stop(...workers, house.service)
})

test('two workers share the jobs of one queue, and each job is done by one of them', async (t) => {
  const house = await openHouse(t)
  const workers = [house.startWorker(), house.startWorker()]
  await Promise.all(workers.map(({ up }) => up))
  const { seed, ...writing } = startWriting(house)
  await writing.go(100, 1)
  assert.deepEqual({ seed, ...(await writing.end()) }, { seed, 200: 100, 201: 100 })
  await untilDone(house.pool)
  await assertToldOnce(house.pool, await expectedOf(house.pool), seed)
  const done = (await stop(...workers)).map(
    (log) => log.match(/"jobId":"\d+"(?=.*"jobDone")/g) ?? [],
  )
  assert.ok(done.every((ids) => ids.length > 0))
  assert.deepEqual([done.flat().length, new Set(done.flat()).size], [200, 200])
})

// What is too heavy for a template, what tells a group that is not there, what a handler refuses.
const [heavy, late, refused] = [1_000_000_000, 500, 7]
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
const failing = `exports.exec = ({ record }) => { if (record.weight === ${refused}) throw new Error('Closed.') }`
const mended = `exports.exec = ({ record, log }) => log.info('posted', record.weight, 'g')`

test('a message that always fails ends dead, holds no other up, and tells once after the mend', async (t) => {
  const more = { 'entities/letter.json': letter, 'message-handlers/post.cjs': failing }
  const { pool, directory, ...house } = await openHouse(t, { more })
  const ask = async (status: number, method: string, path: string, body?: object) => {
    const answer = await house.ask(method, path, body)
    assert.equal(answer.status, status)
    return answer.body
  }
  const worker = house.startWorker()
  const ids: number[] = []
  for (const weight of [heavy, late, refused, 1])
    ids.push((await ask(201, 'POST', '/letter', { weight })).id)
  await untilDone(pool, true)
  ids.push((await ask(201, 'POST', '/letter', { weight: 2 })).id)
  await untilDone(pool)
  const [a, b, c] = ids
  const known = [
    ...ids.map((id) => linesOf(`letter ${id} well`, groups.buyers)),
    ...ids.slice(1).map((id) => linesOf(`letter ${id} long`, groups.auditors)),
    // A group that there is not holds up nobody else, and no job.
    linesOf(`letter ${b} late`, ['Administrator']),
  ].flat()
  await assertToldOnce(pool, known)
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
  await writeFile(join(directory, 'message-handlers', 'post.cjs'), mended)
  const second = house.startWorker()
  for (const { id } of dead) await ask(200, 'POST', `/api/jobs/${id}/retry`)
  await untilDone(pool)
  await assertToldOnce(pool, [...known, ...linesOf(`letter ${a} long`, groups.auditors)])
  assert.equal((await stop(second))[0]?.match(/posted 7 g/g)?.length, 1)
})
