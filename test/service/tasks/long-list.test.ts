/** A list of tasks that is longer than one answer may be: it is read in parts, while it is sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  createRecord,
  createTask,
  rowsOf,
  shareTasks,
  tasksOf,
  users,
} from './a-task-project.ts'

shareTasks()

const payload = 'é'.repeat(100_000)

/** Tasks with the longest texts, every third without a due date. */
const addTasks = (record: number, count: number) =>
  rowsOf(
    `INSERT INTO records.task (key, entity_id, description, is_completed, type, payload, due_date, _created_by, _updated_by)
     SELECT 'matter', $1, 'task ' || i, false, 'native', $2,
       CASE WHEN i % 3 > 0 THEN '2030-01-01'::timestamptz + i % 7 * interval '1 day' END, 1, 1
     FROM generate_series(1, $3::integer) i RETURNING id`,
    [record, payload, count],
  )

type Listed = { id: number; due_date: string | null; payload: string; updated_by: object }

test('all tasks come once, soonest due first, however long their texts are', async () => {
  const record = await createRecord()
  const linked = await createTask(await createRecord(), {
    related_entities: [{ key: 'matter', entity_id: record }],
  })
  await addTasks(record, 90)
  const tasks: Listed[] = await tasksOf(`/matter/${record}`)
  assert.equal(new Set(tasks.map(({ id }) => id)).size, 91)
  assert.ok(tasks.some(({ id }) => id === linked))
  const order = tasks.map(({ id, due_date }) => `${due_date ?? 'never'} ${String(id).padStart(9)}`)
  assert.deepEqual(order, order.toSorted())
  assert.ok(tasks.every((task) => task.id === linked || task.payload === payload))
  assert.ok(tasks.every(({ updated_by }) => updated_by !== null))
})

test('an assignee without the permission gets their own tasks of a long list alone', async () => {
  const record = await createRecord()
  const rows = await addTasks(record, 20)
  await rowsOf(
    'UPDATE records.task SET assigne_id = (SELECT id FROM records.user WHERE email = $2) WHERE id = ANY ($1)',
    [rows.slice(3, 16).map(({ id }) => id), users.reader],
  )
  const reply = await ask('GET', `/matter/${record}/task`, { as: users.reader })
  assert.deepEqual(
    reply
      .json()
      .map(({ id }: Listed) => id)
      .toSorted(),
    rows
      .slice(3, 16)
      .map(({ id }) => id)
      .toSorted(),
  )
})

test('a long list of nothing that the caller may see is refused before the first byte', async () => {
  const record = await createRecord()
  await addTasks(record, 20)
  assert.equal((await ask('GET', `/matter/${record}/task`, { as: users.nonreader })).status, 404)
  assert.equal((await ask('GET', `/matter/${record}/task`, { as: users.reader })).status, 403)
})
