/** List, create, complete, own overdue list and counters of tasks compared with bare routes, by turns. */
import { until } from '../test/support/wait.ts'
import type { Environment } from './environment.ts'
import { byTurns, median, rangeOf, rounds, sampler } from './figures.ts'
import { fill, insertUsers } from './fill.ts'
import type { Request } from './http-client.ts'
import { fillInvoices } from './invoices.ts'
import { assertSameAnswers, bareServer, compareWithBare, load, type Pair } from './load.ts'
import { randomId } from './records.ts'
import { aimOf, type Row, type Table } from './report.ts'

/** 5,000,000 tasks have 50,000 users and 500,000 invoices. */
const sizesOf = (rows: number) => ({
  users: Math.max(10, Math.round(rows / 100)),
  invoices: Math.max(100, Math.round(rows / 10)),
})

/** Each invoice has ten tasks of its own and ten linked ones; every third task is completed. */
const fillTasks = async (environment: Environment, rows: number): Promise<void> => {
  const { users, invoices } = sizesOf(rows)
  await fillInvoices(environment, Math.max(1000, invoices))
  await fill(environment, `${rows.toLocaleString('en')} tasks`, [
    insertUsers('user-', users),
    {
      largeTable: 'records.task',
      statement: `
        INSERT INTO records.task (entity_id, key, description, is_completed, due_date, assigne_id, type, payload, _created_by, _updated_by)
        SELECT n % ${invoices} + 1, 'invoice', 'Call the customer, ' || n, n % 3 = 0,
          now() + (n % 2000 - 1000) * interval '1 hour', n % ${users} + 1, 'native', '{"n":' || n || '}', 1, n % ${users} + 1
        FROM generate_series(1, ${rows}) n`,
    },
    `INSERT INTO docket.task_link (task_id, key, entity_id)
     SELECT id, 'invoice', (entity_id + 7) % ${invoices} + 1 FROM records.task`,
    'VACUUM (ANALYZE) records.task, docket.task_link, records."user"',
  ])
}

/** So that there are tasks to complete. */
const reopenTasks = ({ pool }: Environment): Promise<unknown> =>
  pool.query('UPDATE records.task SET is_completed = false WHERE is_completed AND id % 3 <> 0')

const openTask = (rows: number): number => {
  const task = randomId(rows)
  return task % 3 === 0 ? openTask(rows) : task
}

/** A task with two links, of a random invoice. */
const createOf = (rows: number, assigne_id: number | null): Request => {
  const { invoices } = sizesOf(rows)
  const invoice = () => randomId(invoices)
  const link = () => ({ key: 'invoice', entity_id: invoice() })
  return {
    method: 'POST',
    path: `/invoice/${invoice()}/task`,
    body: {
      description: 'Call the customer',
      due_date: '2030-01-02 10:00:00',
      assigne_id,
      payload: '{"a":1}',
      related_entities: [link(), link()],
    },
  }
}

const operationsOf = (environment: Environment, rows: number) => {
  const { invoices } = sizesOf(rows)
  const invoice = () => randomId(invoices)
  const complete = (): Request => {
    const task = openTask(rows)
    const path = `/invoice/${(task % invoices) + 1}/${task}`
    return { method: 'PUT', path, body: { is_completed: true } }
  }
  const get = (path: string) => (): Request => ({ path })
  const prepare = () => reopenTasks(environment)
  return [
    {
      what: 'list of a record',
      minRatio: 0.7,
      request: () => ({ path: `/invoice/${invoice()}/task` }),
    },
    { what: 'own overdue', minRatio: 0.7, request: get('/api/tasks?status=overdue&limit=20') },
    { what: 'counters', minRatio: 0.7, request: get('/api/tasks/count') },
    { what: 'complete', minRatio: 0.5, request: complete, prepare },
    { what: 'create, nobody assigned', minRatio: 0.5, request: () => createOf(rows, null) },
  ]
}

const creators = 16

/** Whether no job is due. */
const areJobsDone = async ({ pool }: Environment): Promise<boolean> => {
  const { rows } = await pool.query('SELECT FROM docket.job WHERE due_at <= now() LIMIT 1')
  return rows.length === 0
}

/**
 * Creates that notify a user compared with those that notify nobody, and with the peer, which notifies nobody. The jobs that
 * they leave wait, or are taken by a worker on the same processors meanwhile.
 */
const compareTelling = async (
  environment: Environment,
  { docket, bare }: Pair,
  rows: number,
): Promise<Row[]> => {
  const { users } = sizesOf(rows)
  const run = (target: Pair['docket'], isTelling: boolean, hasWorker: boolean) =>
    sampler(async () => {
      // Those of the run before are not the work of this one.
      if (hasWorker) await until('the jobs are done', () => areJobsDone(environment), 300)
      const request = () => createOf(rows, isTelling ? randomId(users) : null)
      return (await load(target, { request, connections: creators, ms: 2000 }))['req/s']
    })
  const found: Row[] = []
  for (const hasWorker of [false, true]) {
    const worker = hasWorker ? await environment.startWorker() : undefined
    const peer = run(bare, true, hasWorker)
    const quiet = run(docket, false, hasWorker)
    const telling = run(docket, true, hasWorker)
    await byTurns([peer, quiet, telling])
    await worker?.stop()
    const where = hasWorker ? 'with a worker' : 'jobs wait'
    const rate = median(telling.samples)
    const ofQuiet = rate / median(quiet.samples)
    const ofPeer = rate / median(peer.samples)
    const range = (other: typeof quiet) => rangeOf(telling.samples, other.samples)
    found.push(
      { what: `nobody assigned, bare, ${where}`, 'req/s': median(peer.samples) },
      { what: `nobody assigned, ${where}`, 'req/s': median(quiet.samples) },
      {
        what: `assigned, ${where}, over nobody assigned`,
        'req/s': rate,
        ratio: ofQuiet,
        range: range(quiet),
        ...aimOf(ofQuiet, { least: 0.8 }),
      },
      {
        what: `assigned, ${where}, over bare`,
        ratio: ofPeer,
        range: range(peer),
        ...aimOf(ofPeer, { least: 0.5 }),
      },
    )
  }
  return found
}

/** One table, a pair of rows for each operation. */
export const benchTasks = async (environment: Environment, rows: number): Promise<Table[]> => {
  await fillTasks(environment, rows)
  const pair = {
    docket: await environment.startService(['--no-jobs']),
    bare: await environment.startPeer(bareServer),
  }
  const paths = ['/invoice/7/task', '/api/tasks?status=overdue&limit=20', '/api/tasks/count']
  await assertSameAnswers(pair, paths)
  const comparisons = operationsOf(environment, rows).map((operation) => ({
    ...operation,
    connections: 8,
    ms: 2000,
  }))
  const figures = await compareWithBare(pair, comparisons)
  return [
    { title: `Tasks, median of ${rounds} (ms)`, rows: figures },
    {
      title: `A task that notifies a user, ${creators} connections, median of ${rounds}`,
      rows: await compareTelling(environment, pair, rows),
    },
  ]
}
