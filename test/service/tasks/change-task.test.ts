/** Changing and removing tasks: names, shapes and codes of the API. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ask, createRecord, createTask, issuesOf, rowsOf, shareTasks } from './a-task-project.ts'

let record: number
shareTasks()
before(async () => {
  record = await createRecord()
})

describe('PUT /:entityKey/:entityId/:taskId', () => {
  const put = (taskId: number, body: unknown, headers: Record<string, string> = {}) =>
    ask('PUT', `/matter/${record}/${taskId}`, { body, headers })
  const read = async (taskId: number) => (await ask('GET', `/task/${taskId}`)).json()

  test('completing a task, together with other fields, and reopening it return 204', async () => {
    const taskId = await createTask(record, { description: 'a' })
    const reply = await put(taskId, { description: 'b', is_completed: true })
    assert.deepEqual([reply.status, reply.text, reply.headers.get('etag')], [204, '', '"2"'])
    const { description, is_completed } = await read(taskId)
    assert.deepEqual([description, is_completed], ['b', true])
    assert.equal((await put(taskId, { is_completed: false })).status, 204)
    assert.equal((await read(taskId)).is_completed, false)
  })

  test('each field can be changed alone, and set to null where allowed', async () => {
    const taskId = await createTask(record, { description: 'a', assigne_id: 1 })
    for (const [name, value, shown] of [
      ['description', '', ''],
      ['due_date', '2026-07-01 09:00:00', '2026-07-01T07:00:00.000Z'],
      ['due_date', '2026-07-01T09:00:00+05:00', '2026-07-01T04:00:00.000Z'],
      ['due_date', null, null],
      ['assigne_id', null, null],
      ['type', 'call', 'call'],
      ['payload', 'x', 'x'],
    ] as const) {
      assert.equal((await put(taskId, { [name]: value })).status, 204, name)
      assert.equal((await read(taskId))[name], shown, name)
    }
  })

  test('an unchanged value changes neither the task nor its ETag', async () => {
    const taskId = await createTask(record, { description: 'a' })
    const reply = await put(taskId, { description: 'a' })
    assert.deepEqual([reply.status, reply.headers.get('etag')], [204, '"1"'])
  })

  test('an empty body returns 400, and unknown and read-only fields are listed', async () => {
    const taskId = await createTask(record)
    assert.deepEqual(issuesOf(await put(taskId, {}), 400), ['names no field to change'])
    const issues = issuesOf(await put(taskId, { _is_deleted: true, nme: 1, key: 'x' }), 400)
    assert.deepEqual(
      issues.map((text) => text.split(' ')[0]),
      ['nme', 'key', '_is_deleted'],
    )
  })

  test('concurrent requests complete a task once', async () => {
    const taskId = await createTask(record)
    const replies = await Promise.all([1, 2, 3, 4].map(() => put(taskId, { is_completed: true })))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [204, 204, 204, 204],
    )
    const history = await rowsOf(
      `SELECT operation FROM docket.history WHERE task_id = $1 ORDER BY id`,
      [taskId],
    )
    assert.deepEqual(
      history.map(({ operation }) => operation),
      ['createTask', 'completeTask'],
    )
  })
})

describe('DELETE /:entityKey/:entityId/:taskId/', () => {
  for (const slash of ['/', ''])
    test(`returns 204 and marks the task as removed, ${slash ? 'with' : 'without'} a trailing slash`, async () => {
      const taskId = await createTask(record)
      const path = `/matter/${record}/${taskId}${slash}`
      const reply = await ask('DELETE', path)
      assert.deepEqual([reply.status, reply.text], [204, ''])
      assert.equal((await ask('DELETE', path)).status, 404)
      assert.equal((await ask('GET', `/task/${taskId}`)).status, 404)
      const [row] = await rowsOf('SELECT _is_deleted FROM records.task WHERE id = $1', [taskId])
      assert.equal(row._is_deleted, true)
    })
})
