/** Jobs over HTTP: listed, counted, retried and removed. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { jobStatuses } from '../../../src/jobs/job-store.ts'
import { sharedProject } from '../../support/a-project.ts'
import { compileWithin } from '../../support/api-document.ts'
import { addJob, note } from '../../support/test-jobs.ts'
import { until } from '../../support/wait.ts'

const service = await sharedProject()
beforeEach(() => service.database.pool.query('DELETE FROM docket.job'))

const add = async (name: string, state = 'tries = 0') => {
  const { pool } = service.database
  const id = await addJob(pool, note, { name })
  await pool.query(`UPDATE docket.job SET ${state} WHERE id = $1`, [id])
  return id
}
const dead = `status = 'dead', tries = max_tries, last_error = 'no luck'`
const running = `status = 'running', started_at = now(), worker = 'someone'`

test('the list contains the jobs of a status, in pages', async () => {
  await add('waits')
  const ids = [await add('one', dead), await add('two', dead)]
  const [job, ...others] = (await service.ask('GET', '/api/jobs?status=dead&limit=1')).json(
    200,
  ).data
  assert.deepEqual(others, [])
  assert.deepEqual([job.id, job.status, job.last_error], [ids[1], 'dead', 'no luck'])
  const second = (await service.ask('GET', '/api/jobs?status=dead&limit=1&page=2')).json()
  assert.equal(second.data[0].id, ids[0])
  assert.equal((await service.ask('GET', '/api/jobs')).json().data.length, 3)
})

test('the counts contain every status, and the metrics contain the counts', async () => {
  await add('dead', dead)
  await add('waits')
  const counts = (await service.ask('GET', '/api/jobs/count')).json()
  assert.deepEqual(Object.keys(counts).sort(), [...jobStatuses].sort())
  assert.deepEqual([counts.dead, counts.waiting, counts.running], [1, 1, 0])
  // The number is cached for a few seconds.
  await until('the metrics have the counts', async () => {
    const { text } = await service.ask('GET', '/api/metrics', { as: null })
    return ['dead', 'waiting'].every((one) => text.includes(`\ndocket_jobs{status="${one}"} 1\n`))
  })
})

test('responses match their OpenAPI schemas', async () => {
  for (const state of [dead, running, `due_at = now() + interval '1 day'`]) await add('any', state)
  const document = (await service.ask('GET', '/api/openapi.json')).json()
  const fits = (name: string, value: unknown) => {
    const validator = compileWithin(document, { $ref: `#/components/schemas/${name}` })
    assert.deepEqual(validator.Check(value) ? [] : validator.Errors(value), [])
  }
  for (const job of (await service.ask('GET', '/api/jobs')).json().data) fits('Job', job)
  fits('JobCounts', (await service.ask('GET', '/api/jobs/count')).json())
})

test('a retried job waits to run, and a removed one no longer exists', async () => {
  const id = await add('again', dead)
  const { status, attempts } = (await service.ask('POST', `/api/jobs/${id}/retry`)).json(200)
  assert.deepEqual([status, attempts], ['waiting', 0])
  const removed = await service.ask('DELETE', `/api/jobs/${id}`)
  assert.deepEqual([removed.status, removed.text], [204, ''])
  assert.equal((await service.ask('DELETE', `/api/jobs/${id}`)).status, 404)
})

test('a running job cannot be retried or removed, and an unknown one is a 404, whatever its id', async () => {
  for (const [id, status, code] of [
    [await add('busy', running), 409, 'job.running'],
    [999_999, 404, 'job.unknown'],
    ['99999999999999999999999', 404, 'job.unknown'],
  ] as const)
    for (const reply of [
      await service.ask('POST', `/api/jobs/${id}/retry`),
      await service.ask('DELETE', `/api/jobs/${id}`),
    ])
      assert.deepEqual([reply.status, reply.json().code], [status, code])
})

test('an unknown status is a 400 with a suggestion, and a retry takes no attempts', async () => {
  const { status, json } = await service.ask('GET', '/api/jobs?status=ded')
  assert.equal(status, 400)
  assert.match(json().detail, /did you mean "dead"/)
  const body = { attempts: 3 }
  assert.equal((await service.ask('POST', '/api/jobs/1/retry', { body })).status, 400)
})

test('many jobs are retried at once, with a result for each', async () => {
  const [one, two, busy] = [await add('one', dead), await add('two'), await add('busy', running)]
  const retry = (body: object) => service.ask('POST', '/api/jobs/retry', { body })
  assert.deepEqual((await retry({ ids: [two, busy, 999_999_999_999, one] })).json(), {
    data: [
      { id: two, result: 'queued' },
      { id: busy, result: 'job.running' },
      { id: 999_999_999_999, result: 'job.unknown' },
      { id: one, result: 'queued' },
    ],
    hasMore: false,
  })
  assert.equal((await service.ask('GET', '/api/jobs?status=dead')).json().data.length, 0)
  const again = await add('again', dead)
  assert.deepEqual((await retry({ status: 'dead', task: 'other' })).json().data, [])
  assert.deepEqual((await retry({ status: 'dead' })).json().data, [{ id: again, result: 'queued' }])
  for (const body of [{}, { ids: [] }, { ids: [one], status: 'dead' }, { status: 'running' }])
    assert.equal((await retry(body)).status, 400)
})
