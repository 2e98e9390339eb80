/** Listing and creating tasks: names, shapes and codes of the API. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  ask,
  createRecord,
  createTask,
  ids,
  issuesOf,
  rowsOf,
  service,
  shareTasks,
  tasksOf,
} from './a-task-project.ts'

let record: number
shareTasks()
before(async () => {
  record = await createRecord()
})

const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

describe('GET /:entityKey/:entityId/task', () => {
  test('a record without tasks returns an empty array', async () => {
    const reply = await ask('GET', `/matter/${await createRecord()}/task`)
    assert.deepEqual([reply.status, reply.json()], [200, []])
  })

  test('a task has every field, and updated_by is a user record', async () => {
    const id = await createRecord()
    const taskId = await createTask(id, {
      description: 'Call "them",\nsoon',
      is_completed: false,
      due_date: '2026-12-01 09:30:00',
      assigne_id: 1,
      type: 'native',
      payload: ' {"a" : 1} ',
    })
    const [task, ...others] = await tasksOf(`/matter/${id}`)
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
      _version: 1,
      related_entities: [],
    })
    assert.match(_created_at, iso)
    assert.match(_updated_at, iso)
    const { _created_at: made, _updated_at: changed, ...userFields } = user
    assert.match(made, iso)
    assert.match(changed, iso)
    assert.deepEqual(userFields, {
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

  test('an empty body creates a task of type native, not completed, with an empty description and null values', async () => {
    const id = await createRecord()
    await createTask(id, { related_entities: null })
    const [{ description, is_completed, due_date, assigne_id, type, payload }] = await tasksOf(
      `/matter/${id}`,
    )
    assert.deepEqual(
      [description, is_completed, due_date, assigne_id, type, payload],
      ['', false, null, null, 'native', null],
    )
  })

  test('tasks are ordered by due date, then by id, tasks without a due date last', async () => {
    const id = await createRecord()
    const dates = ['2027-01-02 00:00:00', null, '2027-01-01 00:00:00', '2027-01-02 00:00:00', null]
    const made: number[] = []
    for (const due_date of dates) made.push(await createTask(id, { due_date }))
    const shown = (await tasksOf(`/matter/${id}`)).map((task: { id: number }) => task.id)
    assert.deepEqual(
      shown,
      [2, 0, 3, 1, 4].map((index) => made[index]),
    )
  })
})

describe('POST /:entityKey/:entityId/task', () => {
  test('returns 201 with the id, an ETag and a Location', async () => {
    const reply = await ask('POST', `/matter/${record}/task`, { body: { description: 'x' } })
    const { id, ...rest } = reply.json()
    assert.deepEqual([reply.status, rest], [201, {}])
    assert.equal(reply.headers.get('etag'), '"1"')
    assert.equal(reply.headers.get('location'), `/task/${id}`)
    const read = await ask('GET', `/task/${id}`)
    assert.deepEqual([read.status, read.json().description], [200, 'x'])
  })

  const invalid: readonly [body: unknown, status: number, issues: readonly RegExp[]][] = [
    ['x', 400, [/must be an object/]],
    [[], 400, [/must be an object/]],
    [{ assignee_id: 1 }, 400, [/^assignee_id is not a field of task.*assigne_id/]],
    [{ id: 1, _created_by: 1 }, 400, [/^id is set/, /^_created_by is set/]],
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
  for (const [body, status, issues] of invalid)
    test(`${JSON.stringify(body)?.slice(0, 90)} returns ${status}, and nothing is written`, async () => {
      const count =
        'SELECT (SELECT count(*) FROM records.task) + (SELECT count(*) FROM docket.history) AS n'
      const [before] = await rowsOf(count)
      const reply = await ask('POST', `/matter/${record}/task`, { body: JSON.stringify(body) })
      const found = issuesOf(reply, status)
      assert.equal(found.length, issues.length, reply.text)
      for (const [index, issue] of issues.entries()) assert.match(found[index] ?? '', issue)
      assert.deepEqual((await rowsOf(count))[0], before)
    })

  test('a blocked, inactive or removed user cannot be assigned', async () => {
    for (const change of ['is_blocked = true', 'is_active = false', '_is_deleted = true']) {
      await service.database.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [
        ids.nobody,
      ])
      const body = { assigne_id: ids.nobody }
      issuesOf(await ask('POST', `/matter/${record}/task`, { body }), 422)
      await service.database.pool.query(
        'UPDATE records."user" SET is_blocked = false, is_active = true, _is_deleted = false WHERE id = $1',
        [ids.nobody],
      )
    }
  })

  test('a failed create leaves no task, no link, no history and no message', async () => {
    const { pool } = service.database
    await pool.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'rejected'; END $$; CREATE TRIGGER refuse BEFORE INSERT ON docket.task_link FOR EACH ROW EXECUTE FUNCTION refuse()`,
    )
    try {
      const count =
        'SELECT (SELECT count(*) FROM records.task) t, (SELECT count(*) FROM docket.history) h, (SELECT count(*) FROM graphile_worker._private_jobs) j'
      const before = await rowsOf(count)
      const body = { assigne_id: 1, related_entities: [{ key: 'matter', entity_id: record }] }
      assert.equal((await ask('POST', `/matter/${record}/task`, { body })).status, 500)
      assert.deepEqual(await rowsOf(count), before)
    } finally {
      await pool.query('DROP FUNCTION refuse() CASCADE')
    }
  })
})
