/** The ranges of an export without a request: keys of any distribution, free connections, memory and time. */
import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { createPool, type Pool } from '../../../src/database/pool.ts'
import type { Sharing } from '../../../src/export/copy-in-ranges.ts'
import type { ExportTask } from '../../../src/export/export-task.ts'
import { runExport } from '../../../src/export/run-export.ts'
import { createTestDatabase } from '../../support/database.ts'
import { runningExports } from '../../support/export-backends.ts'
import { until } from '../../support/wait.ts'
import { taskOf } from './a-running-task.ts'

const pools: Pool[] = []
const database = await createTestDatabase()
// Half of the numbers are close together, the others far apart; most words are the same.
await database.pool.query(
  `CREATE TABLE public.part (id, number, word, filler) AS
   SELECT md5(n::text)::uuid, CASE WHEN n % 2 = 0 THEN n ELSE n * 40000 END,
     CASE WHEN n % 4 = 0 THEN md5(n::text) END, repeat(md5(n::text), 16)
   FROM generate_series(1, 30000) n`,
)
for (const column of ['id', 'number', 'word'])
  await database.pool.query(`CREATE INDEX ON public.part (${column})`)
await database.pool.query('VACUUM (ANALYZE) public.part')
after(async () => {
  await Promise.all(pools.map((pool) => pool.endWithin(1_000)))
  await database.drop()
})

const open = (size: number, waitMs = 30_000): Pool => {
  const { connectionString } = database
  const pool = createPool({ connectionString, size, waitMs, observe: () => undefined })
  pools.push(pool)
  return pool
}

type Key = { readonly column: string; readonly cast: string; readonly isDescending?: boolean }

/** All rows in the order of a key; `value` is what is printed besides it. */
const taskBy = ({ column, cast, isDescending = false }: Key, value = 't.filler'): ExportTask => {
  const order = `${column}${isDescending ? ' DESC' : ''}, t.id`
  return {
    ...taskOf(''),
    copy: {
      select: [`SELECT ${column}, t.id, ${value} FROM public.part t WHERE `, ` ORDER BY ${order}`],
      options: 'FORMAT csv',
    },
    rangeKey: {
      table: 'public.part',
      column,
      cast,
      isDescending,
      mayBeNull: true,
      isPartial: false,
    },
  }
}

const three: Sharing = { connectionsEach: 3, mayTakeMore: () => true, timeoutMs: 60_000 }
const run = async (pool: Pool, task: ExportTask, sharing?: Sharing): Promise<Readable> => {
  const { signal } = new AbortController()
  return (await runExport({ pool, task, signal, ...(sharing && { sharing }) })).stream
}

const keys: Key[] = [
  { column: 't.id', cast: 'uuid' },
  { column: 't.number', cast: 'bigint', isDescending: true },
  { column: 't.word', cast: 'text' },
  { column: 't.word', cast: 'text', isDescending: true },
]
test('every row is there once, in the order of any key', async () => {
  const pool = open(3)
  for (const key of keys) {
    const divided = await buffer(await run(pool, taskBy(key), three))
    assert.equal(pool.totalCount, 3)
    assert.ok(divided.equals(await buffer(await run(pool, taskBy(key)))), key.column)
  }
})

test('without a free connection the first one copies everything', async () => {
  const pool = open(1, 500)
  // Opened before: the wait for it is that of the others, which get none.
  await pool.query('SELECT')
  const task = taskBy({ column: 't.id', cast: 'uuid' })
  const divided = await buffer(await run(pool, task, three))
  assert.ok(divided.equals(await buffer(await run(pool, task))))
})

test('a connection that may not be taken is not', async () => {
  const pool = open(3)
  const task = taskBy({ column: 't.id', cast: 'uuid' })
  await buffer(await run(pool, task, { ...three, mayTakeMore: () => false }))
  assert.equal(pool.totalCount, 1)
})

test('while nobody reads, PostgreSQL waits, and only a part of the rows is in memory', async () => {
  const before = process.memoryUsage().arrayBuffers
  const task = taskBy({ column: 't.id', cast: 'uuid' }, `repeat(t.filler, 10)`)
  const stream = await run(open(3), task, three)
  let waits = 0
  await until('every statement waits, several times in succession', async () => {
    const running = await runningExports({ database })
    const isWaiting = running.every(({ waitsFor }) => waitsFor === 'ClientWrite')
    waits = running.length > 0 && isWaiting ? waits + 1 : 0
    return waits === 20
  })
  // Of 154 MB.
  assert.ok(process.memoryUsage().arrayBuffers - before < 64_000_000)
  stream.destroy()
  await until('no export runs', async () => (await runningExports({ database })).length === 0)
})

test('the time limit is that of all ranges together', async () => {
  const task = taskBy({ column: 't.id', cast: 'uuid' }, 'pg_sleep(0.001)')
  const running = run(open(3), task, { ...three, timeoutMs: 1_000 }).then(buffer)
  await assert.rejects(running, /statement timeout/)
})
