/** The four operations as the interface specifies them, with its names, shapes and codes. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  createRecord,
  createTask,
  issuesOf,
  rowsOf,
  startTasks,
  type TaskService,
  tasksOf,
} from './a-task-project.ts'

let service: TaskService
let ask: TaskService['ask']
let record: number
before(async () => {
  service = await startTasks()
  ask = service.ask
  record = await createRecord(service)
})
after(() => service.stop())

const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

describe('GET /:entityKey/:entityId/task', () => {
  test('a record without tasks has an empty array', async () => {
    const reply = await ask('GET', `/matter/${await createRecord(service)}/task`)
    assert.deepEqual([reply.status, reply.json()], [200, []])
  })

  test('"Task record": every field, and updated_by as "User record"', async () => {
    const id = await createRecord(service)
    const taskId = await createTask(service, id, {
      description: 'Call "them",\nsoon',
      is_completed: false,
      due_date: '2026-12-01 09:30:00',
      assigne_id: 1,
      type: 'native',
      payload: ' {"a" : 1} ',
    })
    const [task, ...others] = await tasksOf(service, `/matter/${id}`)
    assert.deepEqual(others, [])
    const { updated_by: user, _created_at, _updated_at, ...rest } = task
    assert.deepEqual(rest, {
      id: taskId,
      entity_id: id,
      key: 'matter',
      description: 'Call "them",\nsoon',
      is_completed: false,
      due_date: '2026-12-01T08:30:00.000Z',
      assigne_id: 1,
      type: 'native',
      payload: ' {"a" : 1} ',
      _is_deleted: false,
      _created_by: 1,
      _updated_by: 1,
      related_entities: [],
    })
    assert.match(_created_at, iso)
    assert.match(_updated_at, iso)
    const { _created_at: made, _updated_at: changed, ...person } = user
    assert.match(made, iso)
    assert.match(changed, iso)
    assert.deepEqual(person, {
      id: 1,
      _is_deleted: false,
      _created_by: null,
      _updated_by: null,
      identity_provider_user_id: 'admin@example.com',
      first_name: 'Docket',
      last_name: 'Administrator',
      full_name: 'Administrator',
      username: 'admin@example.com',
      email: 'admin@example.com',
      phone: null,
      job_title: null,
      is_contact: false,
      security_role_id: 1,
      is_active: true,
      is_blocked: false,
      blocked_at: null,
    })
  })

  test('an empty body makes a task: type native, not completed, description empty, the rest null', async () => {
    const id = await createRecord(service)
    await createTask(service, id)
    const [{ description, is_completed, due_date, assigne_id, type, payload }] = await tasksOf(
      service,
      `/matter/${id}`,
    )
    assert.deepEqual(
      [description, is_completed, due_date, assigne_id, type, payload],
      ['', false, null, null, 'native', null],
    )
  })

  test('"soonest due first, then id", what has no due date last', async () => {
    const id = await createRecord(service)
    const dates = ['2027-01-02 00:00:00', null, '2027-01-01 00:00:00', '2027-01-02 00:00:00', null]
    const made: number[] = []
    for (const due_date of dates) made.push(await createTask(service, id, { due_date }))
    const shown = (await tasksOf(service, `/matter/${id}`)).map((task: { id: number }) => task.id)
    assert.deepEqual(
      shown,
      [2, 0, 3, 1, 4].map((index) => made[index]),
    )
  })

  test('a record that is not there is a 404, an entity that there is not too', async () => {
    for (const path of ['/matter/4711/task', '/matter/99999999999/task', '/nothing/1/task'])
      assert.equal((await ask('GET', path)).status, 404, path)
    assert.equal((await ask('GET', '/matter/0/task')).status, 400)
  })
})

describe('POST /:entityKey/:entityId/task', () => {
  test('201 with the id alone, an ETag and where it can be read', async () => {
    const reply = await ask('POST', `/matter/${record}/task`, { body: { description: 'x' } })
    const { id, ...rest } = reply.json()
    assert.deepEqual([reply.status, rest], [201, {}])
    assert.equal(reply.headers.get('etag'), '"1"')
    assert.equal(reply.headers.get('location'), `/task/${id}`)
    const read = await ask('GET', `/task/${id}`)
    assert.deepEqual([read.status, read.json().description], [200, 'x'])
  })

  test('the same Idempotency-Key makes one task', async () => {
    const id = await createRecord(service)
    const headers = { 'Idempotency-Key': 'once' }
    const options = { body: { description: 'x' }, headers }
    const [first, second] = [
      await ask('POST', `/matter/${id}/task`, options),
      await ask('POST', `/matter/${id}/task`, options),
    ]
    assert.deepEqual(second.json(), first.json())
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
    assert.equal((await tasksOf(service, `/matter/${id}`)).length, 1)
    const other = await ask('POST', `/matter/${id}/task`, { body: { description: 'y' }, headers })
    assert.equal(other.status, 422)
  })

  const wrong: readonly [body: unknown, status: number, issues: readonly RegExp[]][] = [
    ['x', 400, [/must be an object/]],
    [[], 400, [/must be an object/]],
    [{ assignee_id: 1 }, 400, [/^assignee_id is not a field of task.*assigne_id/]],
    [{ id: 1, _created_by: 1 }, 400, [/^id is kept/, /^_created_by is kept/]],
    [{ key: 'x', entity_id: 1 }, 400, [/^key is given by the path/, /^entity_id is given/]],
    [{ due_date: '2026-02-30 10:00:00' }, 400, [/^due_date must be an existing time/]],
    [{ due_date: '01.12.2026' }, 400, [/^due_date/]],
    [{ due_date: '2026-12-01' }, 400, [/^due_date/]],
    [{ due_date: 5 }, 400, [/^due_date/]],
    [{ is_completed: 'yes' }, 400, [/^is_completed/]],
    [{ is_completed: null }, 422, [/^is_completed is required/]],
    [{ type: null }, 422, [/^type is required/]],
    [{ type: 'x'.repeat(64) }, 422, [/^type/]],
    [{ description: 'a\0b' }, 400, [/^description contains the control character NUL/]],
    [{ payload: { a: 1 } }, 400, [/^payload/]],
    [{ assigne_id: 'me' }, 400, [/^assigne_id/]],
    [{ assigne_id: 4711 }, 422, [/^assigne_id there is no active user 4711/]],
    [{ assigne_id: 99999999999 }, 422, [/^assigne_id/]],
    [{ related_entities: {} }, 400, [/^related_entities must be an array/]],
    [{ related_entities: [{ key: 'matter' }] }, 400, [/^related_entities\[0\]\.entity_id/]],
    [{ related_entities: [{ key: 'matter', entity_id: 1, x: 2 }] }, 400, [/\.x is not/]],
    [{ related_entities: [{ key: 'matter', entity_id: 4711 }] }, 422, [/^related_entities\[0\]/]],
    [{ related_entities: [{ key: 'nothing', entity_id: 1 }] }, 422, [/^related_entities\[0\]/]],
    [
      { due_date: 'x', assigne_id: 4711, related_entities: [{ key: 'matter', entity_id: 4711 }] },
      400,
      [/^due_date/, /^assigne_id/, /^related_entities\[0\]/],
    ],
  ]
  for (const [body, status, issues] of wrong)
    test(`${JSON.stringify(body)?.slice(0, 90)} is a ${status}, and nothing is written`, async () => {
      const count =
        'SELECT (SELECT count(*) FROM records.task) + (SELECT count(*) FROM docket.history) AS n'
      const [before] = await rowsOf(service, count)
      const reply = await ask('POST', `/matter/${record}/task`, { body: JSON.stringify(body) })
      const found = issuesOf(reply, status)
      assert.equal(found.length, issues.length, reply.text)
      for (const [index, issue] of issues.entries()) assert.match(found[index] ?? '', issue)
      assert.deepEqual((await rowsOf(service, count))[0], before)
    })

  test('someone who is blocked, inactive or removed cannot be assigned', async () => {
    for (const change of ['is_blocked = true', 'is_active = false', '_is_deleted = true']) {
      await service.database.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [
        service.ids.nobody,
      ])
      const body = { assigne_id: service.ids.nobody }
      issuesOf(await ask('POST', `/matter/${record}/task`, { body }), 422)
      await service.database.pool.query(
        'UPDATE records."user" SET is_blocked = false, is_active = true, _is_deleted = false WHERE id = $1',
        [service.ids.nobody],
      )
    }
  })

  test('a fault in the middle leaves no task, no link, no history and no message', async () => {
    const { pool } = service.database
    await pool.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$; CREATE TRIGGER refuse BEFORE INSERT ON docket.task_link FOR EACH ROW EXECUTE FUNCTION refuse()`,
    )
    try {
      const count =
        'SELECT (SELECT count(*) FROM records.task) t, (SELECT count(*) FROM docket.history) h, (SELECT count(*) FROM graphile_worker._private_jobs) j'
      const before = await rowsOf(service, count)
      const body = { assigne_id: 1, related_entities: [{ key: 'matter', entity_id: record }] }
      assert.equal((await ask('POST', `/matter/${record}/task`, { body })).status, 500)
      assert.deepEqual(await rowsOf(service, count), before)
    } finally {
      await pool.query('DROP FUNCTION refuse() CASCADE')
    }
  })
})

describe('PUT /:entityKey/:entityId/:taskId', () => {
  const put = (taskId: number, body: unknown, headers: Record<string, string> = {}) =>
    ask('PUT', `/matter/${record}/${taskId}`, { body, headers })
  const read = async (taskId: number) => (await ask('GET', `/task/${taskId}`)).json()

  test('"Task | is_completed false | body has is_completed true": 204, other fields too', async () => {
    const taskId = await createTask(service, record, { description: 'a' })
    const reply = await put(taskId, { description: 'b', is_completed: true })
    assert.deepEqual([reply.status, reply.text, reply.headers.get('etag')], [204, '', '"2"'])
    const { description, is_completed } = await read(taskId)
    assert.deepEqual([description, is_completed], ['b', true])
    assert.equal((await put(taskId, { is_completed: false })).status, 204)
    assert.equal((await read(taskId)).is_completed, false)
  })

  test('every field alone, and null where it may be', async () => {
    const taskId = await createTask(service, record, { description: 'a', assigne_id: 1 })
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

  test('what holds already changes nothing, and tells nothing', async () => {
    const taskId = await createTask(service, record, { description: 'a' })
    const reply = await put(taskId, { description: 'a' })
    assert.deepEqual([reply.status, reply.headers.get('etag')], [204, '"1"'])
  })

  test('an empty body is a 400; unknown and read-only fields are named', async () => {
    const taskId = await createTask(service, record)
    assert.deepEqual(issuesOf(await put(taskId, {}), 400), ['names no field to change'])
    const issues = issuesOf(await put(taskId, { _is_deleted: true, nme: 1, key: 'x' }), 400)
    assert.deepEqual(
      issues.map((text) => text.split(' ')[0]),
      ['nme', 'key', '_is_deleted'],
    )
  })

  test('If-Match refuses a stale write', async () => {
    const taskId = await createTask(service, record)
    assert.equal((await put(taskId, { payload: 'a' }, { 'If-Match': '"1"' })).status, 204)
    const stale = await put(taskId, { payload: 'b' }, { 'If-Match': '"1"' })
    assert.deepEqual([stale.status, stale.headers.get('etag')], [412, '"2"'])
    assert.equal((await read(taskId)).payload, 'a')
    assert.equal((await put(taskId, { payload: 'b' }, { 'If-Match': 'x' })).status, 400)
  })

  test('two at once complete it once', async () => {
    const taskId = await createTask(service, record)
    const replies = await Promise.all([1, 2, 3, 4].map(() => put(taskId, { is_completed: true })))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [204, 204, 204, 204],
    )
    const history = await rowsOf(
      service,
      `SELECT operation FROM docket.history WHERE task_id = $1 ORDER BY id`,
      [taskId],
    )
    assert.deepEqual(
      history.map(({ operation }) => operation),
      ['createTask', 'completeTask'],
    )
  })

  test('a task that is not under the record is a 404, a word no path', async () => {
    const other = await createTask(service, await createRecord(service))
    for (const taskId of [other, 4711, 99999999999])
      assert.equal((await put(taskId, { payload: 'x' })).json().code, 'task.unknown')
    assert.equal((await ask('PUT', `/matter/${record}/x`, { body: {} })).status, 404)
    assert.equal(
      (await ask('PUT', `/matter/4711/${other}`, { body: { payload: 'x' } })).json().code,
      'record.unknown',
    )
  })
})

describe('DELETE /:entityKey/:entityId/:taskId/', () => {
  for (const slash of ['/', ''])
    test(`204, soft, ${slash ? 'with' : 'without'} the slash`, async () => {
      const taskId = await createTask(service, record)
      const path = `/matter/${record}/${taskId}${slash}`
      const reply = await ask('DELETE', path)
      assert.deepEqual([reply.status, reply.text], [204, ''])
      assert.equal((await ask('DELETE', path)).status, 404)
      assert.equal((await ask('GET', `/task/${taskId}`)).status, 404)
      const [row] = await rowsOf(service, 'SELECT _is_deleted FROM records.task WHERE id = $1', [
        taskId,
      ])
      assert.equal(row._is_deleted, true)
    })

  test('If-Match and a body are looked at', async () => {
    const taskId = await createTask(service, record)
    const path = `/matter/${record}/${taskId}`
    assert.equal((await ask('DELETE', path, { headers: { 'If-Match': '"7"' } })).status, 412)
    assert.equal((await ask('DELETE', path, { body: { x: 1 } })).status, 400)
  })
})
