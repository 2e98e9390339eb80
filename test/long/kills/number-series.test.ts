/** Processes that are killed again and again while they give numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createTestDatabase } from '../../support/database.ts'
import { tokenOf } from '../../support/docket.ts'
import { startPooler } from '../../support/pgbouncer.ts'
import { endWell, startUp } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const project = {
  'entities/slip.json': {
    key: 'slip',
    fields: [
      { key: 'number', type: 'string', series: { format: 'S{YYYY}-{0}' } },
      { key: 'hours', type: 'integer' },
    ],
    // Asked after the record is written with its number.
    validations: [
      { key: 'short', condition: { hours: { $lte: 24 } }, message: 'A day has 24 hours.' },
    ],
  },
}

const kills = 10
const writers = 64

type Writing = {
  readonly bases: readonly string[]
  readonly token: string
  /** The numbers that were answered. */
  readonly given: string[]
  isDone: boolean
}

/** Each fifth create is refused. */
const write = async (writing: Writing, writer: number): Promise<void> => {
  const { bases, token, given } = writing
  for (let made = 0; !writing.isDone; made++) {
    const answer = await fetch(`${bases[writer % bases.length]}/slip`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ hours: (writer + made) % 5 === 0 ? 30 : 8 }),
    })
      .then(async (response) => ({ status: response.status, body: await response.json() }))
      .catch(() => undefined)
    if (answer?.status === 201) given.push((answer.body as { number: string }).number)
    // Its process is being started again.
    if (!answer) await delay(100)
  }
}

for (const pooler of ['none', 'one in transaction mode'])
  test(`${writers} writers of two processes leave no gap in a series, though each fifth write is refused and a process is killed ${kills} times; pooler: ${pooler}`, async () => {
    const { pool, connectionString } = await createTestDatabase()
    const pooled = pooler === 'none' ? undefined : await startPooler(connectionString)
    const PROJECT = await writeProject(project)
    const environment = {
      DATABASE_URL: pooled?.connectionString ?? connectionString,
      DATABASE_DIRECT_URL: connectionString,
      PROJECT,
      REQUESTS_PER_CALLER: '0',
      REQUESTS_PER_ADDRESS: '0',
    }
    const startOne = (PORT = '0') => startUp({ ...environment, PORT }, ['--no-jobs'])
    const processes = [await startOne(), await startOne()]
    const bases = processes.map(({ base }) => base)
    const token = await tokenOf(PROJECT, environment)
    const writing: Writing = { bases, token, given: [], isDone: false }
    const { given } = writing
    const all = Promise.all(Array.from({ length: writers }, (_, writer) => write(writing, writer)))
    try {
      for (let kill = 0; kill < kills; kill++) {
        const before = given.length
        await until('numbers are given', async () => given.length >= before + 100)
        const [first, other] = processes.splice(0)
        assert.ok(first && other)
        first.child.kill('SIGKILL')
        await first.ended
        processes.push(other, await startOne(new URL(first.base).port))
      }
    } finally {
      writing.isDone = true
      await all
    }
    const { rows } = await pool.query<{ number: string; digits: number }>(
      `SELECT number, substring(number FROM '[0-9]+$')::integer AS digits FROM records.slip ORDER BY digits`,
    )
    const stored = new Set(rows.map(({ number }) => number))
    assert.deepEqual(
      rows.map(({ digits }) => digits),
      rows.map((_, at) => at + 1),
    )
    assert.equal(new Set(given).size, given.length)
    assert.deepEqual(
      given.filter((number) => !stored.has(number)),
      [],
    )
    await Promise.all(processes.map((one) => endWell(one)))
  })
