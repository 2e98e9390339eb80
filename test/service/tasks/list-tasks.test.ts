/** The tasks of a record: their fields and order, a list longer than one answer, and their history. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ask,
  createRecord,
  createTask,
  ids,
  idsOf,
  rowsOf,
  shareTasks,
  taskIdsOf,
  tasksOf,
  users,
} from './a-task-project.ts'

shareTasks()

const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

test('a task has every field, and updated_by is a user record', async () => {
  const record = await createRecord()
  assert.deepEqual(await tasksOf(`/matter/${record}`), [])
  const id = await createTask(record, {
    description: 'Call "them",\nsoon',
    is_completed: false,
    assigne_id: 1,
    due_date: '2026-12-01 09:30:00',
    type: 'native',
    payload: ' {"a" : 1} ',
  })
  const [task, ...others] = await tasksOf(`/matter/${record}`)
  assert.deepEqual(others, [])
  const { updated_by, _created_at, _updated_at, ...rest } = task
  assert.deepEqual(rest, {
    id,
    entity_id: record,
    key: 'matter',
    related_entities: [],
    description: 'Call "them",\nsoon',
    is_completed: false,
    assigne_id: 1,
    assigne: { id: 1, full_name: 'Administrator' },
    due_date: '2026-12-01T08:30:00.000Z',
    type: 'native',
    payload: ' {"a" : 1} ',
    ticket: null,
    party_id: null,
    secret_id: null,
    _is_deleted: false,
    _created_by: 1,
    _updated_by: 1,
    _version: 1,
  })
  const { _created_at: made, _updated_at: changed, ...user } = updated_by
  for (const at of [_created_at, _updated_at, made, changed]) assert.match(at, iso)
  assert.deepEqual(user, {
    id: 1,
    _is_deleted: false,
    _created_by: null,
    _updated_by: 1,
    identity_provider_user_id: 'admin@example.com',
    security_role_id: 1,
    phone: '12345',
    first_name: 'Docket',
    last_name: 'Administrator',
    full_name: 'Administrator',
    username: 'admin@example.com',
    email: 'admin@example.com',
    job_title: null,
    is_contact: false,
    is_active: true,
    is_blocked: false,
    blocked_at: null,
  })
})

test('an empty body creates a task of type native, not completed, with an empty description and null values', async () => {
  const record = await createRecord()
  await createTask(record, { related_entities: null })
  const nothing = { due_date: null, assigne_id: null, payload: null, related_entities: [] }
  assert.partialDeepStrictEqual(await tasksOf(`/matter/${record}`), [
    { description: '', is_completed: false, type: 'native', ...nothing },
  ])
})

test('tasks are ordered by due date, then by id, tasks without a due date last', async () => {
  const record = await createRecord()
  const dates = ['2027-01-02 00:00:00', null, '2027-01-01 00:00:00', '2027-01-02 00:00:00', null]
  const made: number[] = []
  for (const due_date of dates) made.push(await createTask(record, { due_date }))
  assert.deepEqual(
    await taskIdsOf(`/matter/${record}`),
    [2, 0, 3, 1, 4].map((index) => made[index]),
  )
})

describe('a list that is longer than one answer may be', () => {
  const payload = 'é'.repeat(100_000)

  /** Tasks with the longest texts, every third without a due date. */
  const addTasks = async (record: number, count: number) =>
    idsOf(
      await rowsOf(
        `INSERT INTO records.task (key, entity_id, description, is_completed, type, payload, due_date, _created_by, _updated_by)
       SELECT 'matter', $1, 'task ' || i, false, 'native', $2,
         CASE WHEN i % 3 > 0 THEN '2030-01-01'::timestamptz + i % 7 * interval '1 day' END, 1, 1
       FROM generate_series(1, $3::integer) i RETURNING id`,
        [record, payload, count],
      ),
    )

  test('has each task once, soonest due first, however long their texts are', async () => {
    const record = await createRecord()
    const related_entities = [{ key: 'matter', entity_id: record }]
    const linked = await createTask(await createRecord(), { related_entities })
    const added = await addTasks(record, 40)
    const tasks: { id: number; due_date: string | null; payload: string; updated_by: object }[] =
      await tasksOf(`/matter/${record}`)
    assert.deepEqual(idsOf(tasks).toSorted(), [linked, ...added].toSorted())
    const order = tasks.map(
      ({ id, due_date }) => `${due_date ?? 'never'} ${String(id).padStart(9)}`,
    )
    assert.deepEqual(order, order.toSorted())
    assert.ok(tasks.every((task) => task.id === linked || task.payload === payload))
    assert.ok(tasks.every(({ updated_by }) => updated_by !== null))
  })

  test('has their own tasks alone for an assignee without the permission', async () => {
    const record = await createRecord()
    const own = (await addTasks(record, 20)).slice(3, 16)
    await rowsOf('UPDATE records.task SET assigne_id = $2 WHERE id = ANY ($1)', [own, ids.reader])
    const reply = await ask('GET', `/matter/${record}/task`, { as: users.reader })
    assert.deepEqual(idsOf(reply.json()).toSorted(), own.toSorted())
  })
})

describe('the history', () => {
  type Entry = {
    task_id: number | null
    operation: string
    user: { full_name: string }
    changes: object
  }

  test('of a record has an entry for each operation on its task', async () => {
    const record = await createRecord()
    const taskId = await createTask(record, { description: 'a' })
    const put = (body: object, as: string) =>
      ask('PUT', `/matter/${record}/${taskId}`, { body, as })
    await put({ description: 'b', payload: 'p' }, users.worker)
    await put({ assigne_id: ids.reader }, users.worker)
    await put({ is_completed: true }, users.reader)
    await put({ is_completed: false }, users.reader)
    await ask('DELETE', `/matter/${record}/${taskId}`, { as: users.worker })
    const history: Entry[] = (await ask('GET', `/matter/${record}/history`)).json().data
    const shown = history
      .filter(({ task_id }) => task_id === taskId)
      .map(({ operation, user, changes }) => [operation, user.full_name.split(' ')[0], changes])
    assert.deepEqual(shown, [
      ['removeTask', 'worker', { _is_deleted: { before: false, after: true } }],
      ['reopenTask', 'reader', { is_completed: { before: true, after: false } }],
      ['completeTask', 'reader', { is_completed: { before: false, after: true } }],
      ['assignTask', 'worker', { assigne_id: { before: null, after: ids.reader } }],
      [
        'changeTask',
        'worker',
        { description: { before: 'a', after: 'b' }, payload: { before: null, after: 'p' } },
      ],
      [
        'createTask',
        'Administrator',
        {
          entity_id: { after: record },
          key: { after: 'matter' },
          description: { after: 'a' },
          is_completed: { after: false },
          type: { after: 'native' },
        },
      ],
    ])
    assert.partialDeepStrictEqual(history.at(-1), { operation: 'create', task_id: null })
  })

  test('of a task has no fields that the role hides', async () => {
    const path = `/task/${await createTask(await createRecord(), { payload: 'secret' })}/history`
    const [entry] = (await ask('GET', path)).json().data
    assert.deepEqual(entry.changes.payload, { after: 'secret' })
    const [seen] = (await ask('GET', path, { as: users.clerk })).json().data
    assert.deepEqual([seen.operation, 'payload' in seen.changes], ['createTask', false])
  })

  test('of a record has no tasks for a caller who may not read them', async () => {
    const record = await createRecord()
    await createTask(record)
    for (const [as, count] of [
      [users.worker, 2],
      [users.reader, 1],
      [users.owner, 1],
    ] as const) {
      const reply = await ask('GET', `/matter/${record}/history`, { as })
      assert.equal(reply.json().data.length, count, as)
    }
  })
})
