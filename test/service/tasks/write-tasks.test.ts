/** Creating, changing and removing tasks: names, shapes and codes of the API. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { issuesOf } from '../../support/a-project.ts'
import {
  ask,
  createRecord,
  createTask,
  ids,
  operationsOf,
  rowsOf,
  service,
  shareTasks,
  tasksOf,
  users,
} from './a-task-project.ts'

let record: number
shareTasks()
before(async () => {
  record = await createRecord()
})

const post = (body: unknown, as?: string, headers = {}) =>
  ask('POST', `/matter/${record}/task`, { body, as, headers })
const put = (taskId: number, body: unknown, as?: string) =>
  ask('PUT', `/matter/${record}/${taskId}`, { body, as })
const read = async (taskId: number) => (await ask('GET', `/task/${taskId}`)).json()

describe('POST /:entityKey/:entityId/task', () => {
  test('returns 201 with the id, an ETag and a Location', async () => {
    const reply = await post({ description: 'x' })
    const { id, ...rest } = reply.json()
    assert.deepEqual([reply.status, rest], [201, {}])
    assert.equal(reply.headers.get('etag'), '"1"')
    assert.equal(reply.headers.get('location'), `/task/${id}`)
    assert.equal((await read(id)).description, 'x')
  })

  const related_entities = [{ key: 'matter', entity_id: 4711 }]
  const invalid: readonly [body: unknown, status: number, ...issues: RegExp[]][] = [
    [[], 400, /must be an object/],
    [{ assignee_id: 1 }, 400, /^assignee_id is not a field of task.*assigne_id/],
    [{ id: 1, _created_by: 1 }, 400, /^id is set/, /^_created_by is set/],
    [{ key: 'x', entity_id: 1 }, 400, /^key is given by the path/, /^entity_id is given/],
    [{ due_date: '2026-02-30 10:00:00' }, 400, /^due_date must be an existing time/],
    [{ description: null }, 422, /^description is required and cannot be null/],
    [{ is_completed: null }, 422, /^is_completed is required/],
    [{ type: 'x'.repeat(64) }, 422, /^type/],
    [{ assigne_id: 'me' }, 400, /^assigne_id/],
    [{ assigne_id: 4711 }, 422, /^assigne_id there is no active user 4711/],
    [{ assigne_id: 99999999999 }, 422, /^assigne_id/],
    [{ related_entities: {} }, 400, /^related_entities must be an array/],
    [{ related_entities: Array(1001).fill({}) }, 400, /^related_entities has 1001 entries/],
    [{ related_entities: [1] }, 400, /^related_entities\[0\] must be an object/],
    [{ related_entities: [{ key: 'matter' }] }, 400, /^related_entities\[0\]\.entity_id/],
    [{ related_entities: [{ key: 'matter', entity_id: 0 }] }, 400, /\[0\]\.entity_id/],
    [{ related_entities: [{ entity_id: 1, x: 2 }] }, 400, /\.x is not/, /\[0\]\.key/],
    [{ related_entities: [{ key: 'nothing', entity_id: 1 }] }, 422, /^related_entities\[0\]/],
    [
      { due_date: 'x', assigne_id: 4711, related_entities },
      400,
      ...[/^due_date/, /^assigne_id/, /^related_entities\[0\]/],
    ],
  ]
  for (const [body, status, ...issues] of invalid)
    test(`${JSON.stringify(body).slice(0, 90)} returns ${status}, and nothing is written`, async () => {
      const count =
        'SELECT (SELECT count(*) FROM records.task) + (SELECT count(*) FROM docket.history) AS n'
      const before = await rowsOf(count)
      const found = issuesOf(await post(body), status)
      assert.equal(found.length, issues.length, String(found))
      for (const [index, issue] of issues.entries()) assert.match(found[index] ?? '', issue)
      assert.deepEqual(await rowsOf(count), before)
    })

  test('does not assign a blocked, inactive or removed user', async () => {
    const set = (change: string) =>
      rowsOf(`UPDATE records."user" SET ${change} WHERE id = $1`, [ids.nobody])
    for (const change of ['is_blocked = true', 'is_active = false', '_is_deleted = true']) {
      await set(change)
      issuesOf(await post({ assigne_id: ids.nobody }), 422)
      await set('is_blocked = false, is_active = true, _is_deleted = false')
    }
  })

  test('leaves no task, no link, no history and no message when it fails', async () => {
    const { pool } = service.database
    await pool.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'rejected'; END $$; CREATE TRIGGER refuse BEFORE INSERT ON docket.task_link FOR EACH ROW EXECUTE FUNCTION refuse()`,
    )
    try {
      const count =
        'SELECT (SELECT count(*) FROM records.task) t, (SELECT count(*) FROM docket.history) h, (SELECT count(*) FROM docket.job) j'
      const before = await rowsOf(count)
      const body = { assigne_id: 1, related_entities: [{ key: 'matter', entity_id: record }] }
      assert.equal((await post(body)).status, 500)
      assert.deepEqual(await rowsOf(count), before)
    } finally {
      await pool.query('DROP FUNCTION refuse() CASCADE')
    }
  })
})

describe('PUT /:entityKey/:entityId/:taskId', () => {
  test('completes a task, together with other fields, and reopens it', async () => {
    const taskId = await createTask(record, { description: 'a' })
    const reply = await put(taskId, { description: 'b', is_completed: true })
    assert.deepEqual([reply.status, reply.text, reply.headers.get('etag')], [204, '', '"2"'])
    assert.partialDeepStrictEqual(await read(taskId), { description: 'b', is_completed: true })
    assert.equal((await put(taskId, { is_completed: false })).status, 204)
    assert.equal((await read(taskId)).is_completed, false)
  })

  test('changes each field alone, and sets it to null where allowed', async () => {
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

  test('changes neither the task nor its ETag by an unchanged value', async () => {
    const taskId = await createTask(record, { description: 'a' })
    const reply = await put(taskId, { description: 'a' })
    assert.deepEqual([reply.status, reply.headers.get('etag')], [204, '"1"'])
  })

  test('rejects an empty body, unknown fields, and other values of read-only fields', async () => {
    const taskId = await createTask(record)
    const kept =
      'is set by the service and cannot be changed; leave it out, or send it as it was read'
    for (const [body, ...issues] of [
      [{}, 'names no field to change'],
      [
        { nme: 1, id: taskId + 1, key: 'party', entity_id: 0, _created_by: null, updated_by: 7 },
        'nme is not a field of task',
        ...['id', 'key', 'entity_id', '_created_by'].map((name) => `${name} ${kept}`),
      ],
    ] as const)
      assert.deepEqual(issuesOf(await put(taskId, body), 400), issues)
  })

  test('completes a task once for concurrent requests', async () => {
    const taskId = await createTask(record)
    const replies = await Promise.all([1, 2, 3, 4].map(() => put(taskId, { is_completed: true })))
    for (const { status } of replies) assert.equal(status, 204)
    assert.deepEqual(await operationsOf(taskId), ['completeTask', 'createTask'])
  })
})

describe('a client that sends back the task that it read', () => {
  const readListed = async (of: number, as?: string) =>
    (await ask('GET', `/matter/${of}/task`, { as })).json()[0]

  test('writes only the changed fields, repeatedly, also under a linked record', async () => {
    const [own, other] = [await createRecord(), await createRecord()]
    const related_entities = [{ key: 'matter', entity_id: other }]
    const due_date = '2027-01-01 10:00:00'
    const id = await createTask(own, { description: 'Call', due_date, related_entities })
    const task = await readListed(own)
    for (const description of ['Call again', 'Call once more']) {
      const reply = await ask('PUT', `/matter/${own}/${id}`, { body: { ...task, description } })
      assert.equal(reply.status, 204, reply.text)
    }
    const { _updated_at, ...after } = await readListed(own)
    const { _updated_at: _then, ...before } = task
    const [description, _version] = ['Call once more', task._version + 2]
    assert.deepEqual(after, { ...before, description, _version })
    assert.equal((await ask('PUT', `/matter/${other}/${id}`, { body: task })).status, 204)
  })

  test('gets fields that the role hides rejected like unknown ones, whatever their value', async () => {
    const own = await createRecord()
    const id = await createTask(own)
    const task = await readListed(own)
    const as = users.restricted
    const send = (body: object) => ask('PUT', `/matter/${own}/${id}`, { body, as })
    const hidden = ['key', 'entity_id', '_is_deleted', '_created_by', '_created_at']
    for (const name of [...hidden, '_updated_by', '_updated_at'])
      for (const value of [task[name], 4711])
        assert.deepEqual((await send({ [name]: value })).json().errors, [
          { path: name, message: 'is not a field of task' },
        ])
    const shown = await readListed(own, as)
    assert.deepEqual(Object.keys(shown.updated_by), Object.keys(task.updated_by))
    assert.equal((await send({ ...shown, description: 'Other' })).status, 204)
  })

  test('completes it as its assignee without permission, and cannot change other fields', async () => {
    const own = await createRecord()
    const id = await createTask(own, { description: 'Sign', assigne_id: ids.reader })
    const as = users.reader
    const task = await readListed(own, as)
    const send = (body: object) => ask('PUT', `/matter/${own}/${id}`, { body, as })
    assert.equal((await send({ ...task, description: 'Other' })).status, 403)
    assert.equal((await send({ ...task, is_completed: true })).status, 204)
    assert.equal((await readListed(own)).is_completed, true)
  })
})

describe('fields that the project adds to tasks', () => {
  const as = users.worker
  const add = async (body: object): Promise<number> => (await post(body, as)).json().id
  const errorsOf = (path: string, message: string) => [{ path, message }]
  const taken = errorsOf('ticket', 'another task has the same value; it must be unique')

  test('are unique where they must be, also when the create is retried', async () => {
    assert.equal((await post({ ticket: 'T-1' }, as)).status, 201)
    for (const reply of [
      await post({ ticket: 'T-1' }, as),
      await post({ ticket: 'T-1' }, as, { 'idempotency-key': 'again' }),
      await put(await add({ ticket: 'T-2' }), { ticket: 'T-1' }, as),
    ])
      assert.deepEqual([reply.status, reply.json().errors], [409, taken])
  })

  test('link to records that exist and that the caller may read, or stay as they are', async () => {
    const secret_id = await createRecord('secret')
    const id = await add({})
    for (const [body, errors] of [
      [{ party_id: 4711 }, errorsOf('party_id', 'there is no party 4711 that you may read')],
      [{ secret_id }, errorsOf('secret_id', `there is no record ${secret_id} that you may read`)],
    ] as const)
      for (const reply of [await post(body, as), await put(id, body, as)])
        assert.deepEqual([reply.status, reply.json().errors], [422, errors])
    assert.equal((await put(id, { party_id: await createRecord('party') }, as)).status, 204)
    await rowsOf('UPDATE records.task SET secret_id = $1 WHERE id = $2', [secret_id, id])
    assert.equal((await put(id, { secret_id, description: 'Write' }, as)).status, 204)
  })

  test('keep a record from being restored while another task has a unique value of its tasks', async () => {
    const removed = await createRecord()
    await createTask(removed, { ticket: 'T-9' })
    assert.equal((await ask('DELETE', `/matter/${removed}`)).status, 204)
    await createTask(record, { ticket: 'T-9' })
    const reply = await ask('POST', `/matter/${removed}/restore`)
    const message = 'a task of the record has a unique value that another task has now'
    assert.deepEqual([reply.status, reply.json().errors], [409, errorsOf('', message)])
    assert.equal((await ask('GET', `/matter/${removed}`)).status, 404)
  })
})

test('DELETE marks the task as removed', async () => {
  const taskId = await createTask(record)
  const path = `/matter/${record}/${taskId}`
  const reply = await ask('DELETE', path)
  assert.deepEqual([reply.status, reply.text], [204, ''])
  assert.equal((await ask('DELETE', path)).status, 404)
  assert.equal((await ask('GET', `/task/${taskId}`)).status, 404)
  assert.ok(!(await tasksOf(`/matter/${record}`)).some(({ id }: { id: number }) => id === taskId))
  const [row] = await rowsOf('SELECT _is_deleted FROM records.task WHERE id = $1', [taskId])
  assert.equal(row._is_deleted, true)
})
