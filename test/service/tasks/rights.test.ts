/** Permissions on tasks, as one table: role × record × assignee × operation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  createRecord,
  createTask,
  ids,
  type Role,
  rowsOf,
  service,
  shareTasks,
  users,
} from './a-task-project.ts'

shareTasks()

type Who = Role | 'administrator'
const operations = {
  list: ['GET', undefined],
  create: ['POST', { description: 'new' }],
  change: ['PUT', { description: 'x', is_completed: true }],
  assign: ['PUT', { assigne_id: 1 }],
  link: ['PUT', { is_completed: true, related_entities: [] }],
  complete: ['PUT', { is_completed: true }],
  reopen: ['PUT', { is_completed: false }],
  remove: ['DELETE', undefined],
} as const
type Operation = keyof typeof operations
type Statuses = Readonly<Record<Operation, number>>

const statuses = (list: number, create: number, change: number, complete: number): Statuses => ({
  list,
  create,
  change,
  assign: change,
  link: change,
  complete,
  reopen: complete,
  remove: change,
})
const all = statuses(200, 201, 204, 204)
const none = statuses(403, 403, 403, 403)
// A record that the caller may not read, and its tasks, are reported as not found.
const absent = statuses(404, 404, 404, 404)
// Assignees may always read and complete their own tasks, and nothing else.
const assigned = statuses(200, 403, 403, 204)
const assignedUnread = statuses(200, 404, 403, 204)

type Situation = 'own, assignee' | 'own' | "another's, assignee" | "another's"

// Records that the caller owns or not; tasks that are assigned to the caller or to nobody.
const table: Readonly<Partial<Record<Who, Readonly<Record<Situation, Statuses>>>>> = {
  administrator: { 'own, assignee': all, own: all, "another's, assignee": all, "another's": all },
  worker: { 'own, assignee': all, own: all, "another's, assignee": all, "another's": all },
  owner: { 'own, assignee': all, own: all, "another's, assignee": assigned, "another's": none },
  reader: {
    'own, assignee': assigned,
    own: none,
    "another's, assignee": assigned,
    "another's": none,
  },
  // Permission to read the entity "task" does not give access to the tasks of a record.
  clerk: {
    'own, assignee': assigned,
    own: none,
    "another's, assignee": assigned,
    "another's": none,
  },
  // Permission on tasks has no effect on records that the role may not read.
  nonreader: {
    'own, assignee': assignedUnread,
    own: absent,
    "another's, assignee": assignedUnread,
    "another's": absent,
  },
  nobody: {
    'own, assignee': assignedUnread,
    own: absent,
    "another's, assignee": assignedUnread,
    "another's": absent,
  },
}

const rowOf = async (taskId: number) =>
  (await rowsOf('SELECT * FROM records.task WHERE id = $1', [taskId]))[0]

for (const [who, situations] of Object.entries(table))
  for (const [situation, expected] of Object.entries(situations))
    test(`${who}, record ${situation}: ${Object.values(expected).join(' ')}`, async () => {
      const as = who === 'administrator' ? undefined : users[who as Role]
      const userId = who === 'administrator' ? 1 : ids[who as Role]
      const record = await createRecord()
      const another = who === 'worker' ? 1 : ids.worker
      await service.database.pool.query(
        'UPDATE records.matter SET _owned_by = $2, _created_by = $2 WHERE id = $1',
        [record, situation.startsWith('own') ? userId : another],
      )
      await createTask(record, { description: "another user's" })
      const create = (more: object = {}) =>
        createTask(record, { assigne_id: situation.endsWith('assignee') ? userId : null, ...more })
      let kept: number | undefined
      for (const [operation, [method, body]] of Object.entries(operations)) {
        if (operation === 'reopen') kept = undefined
        const taskId = kept ?? (await create({ is_completed: operation === 'reopen' }))
        const before = await rowOf(taskId)
        const path = `/matter/${record}/${['GET', 'POST'].includes(method) ? 'task' : taskId}`
        const reply = await ask(method, path, { ...(as && { as }), ...(body && { body }) })
        const status = expected[operation as Operation]
        assert.equal(reply.status, status, `${operation}: ${reply.text}`)
        // What was refused has changed nothing.
        kept = status >= 400 ? taskId : undefined
        if (status >= 400) assert.deepEqual(await rowOf(taskId), before, operation)
        if (operation !== 'list' || status >= 400) continue
        const shown = reply.json().map((task: { id: number }) => task.id)
        assert.equal(shown.length, expected === all ? 2 : 1)
        assert.ok(shown.includes(taskId))
      }
    })

test('a task cannot be changed under a record that it is not linked to', async () => {
  const [record, other] = [await createRecord(), await createRecord()]
  const taskId = await createTask(record, { assigne_id: ids.reader })
  const path = `/matter/${other}/${taskId}`
  for (const as of [users.reader, users.worker, undefined]) {
    const reply = await ask('PUT', path, { body: { is_completed: true }, ...(as && { as }) })
    assert.ok([403, 404].includes(reply.status), reply.text)
  }
})

test('reading, searching and exporting /task require permission on "task"', async () => {
  const record = await createRecord()
  await createTask(record, { description: 'seen', payload: 'hidden' })
  const list = await ask('GET', '/task?limit=1000', { as: users.clerk })
  assert.equal(list.status, 200)
  const seen = list.json().data.find((task: { entity_id: number }) => task.entity_id === record)
  assert.equal(seen.description, 'seen')
  assert.equal('payload' in seen, false)
  const body = { $where: { entity_id: record }, $select: ['description'] }
  const found = await ask('POST', '/task/search', { as: users.clerk, body })
  assert.deepEqual(found.json().data, [{ description: 'seen' }])
  const csv = await ask('POST', '/task/export', { as: users.clerk, body })
  assert.deepEqual([csv.status, csv.text], [200, 'description\r\nseen\r\n'])
  for (const [method, path] of [
    ['GET', '/task'],
    ['POST', '/task/search'],
    ['POST', '/task/export'],
  ] as const)
    assert.equal(
      (await ask(method, path, { as: users.worker, ...(method === 'POST' && { body: {} }) }))
        .status,
      403,
    )
})

test('tasks can be written only under their record', async () => {
  const taskId = await createTask(await createRecord())
  for (const [method, path] of [
    ['POST', '/task'],
    ['PATCH', `/task/${taskId}`],
    ['DELETE', `/task/${taskId}`],
  ] as const) {
    const reply = await ask(method, path, method === 'DELETE' ? {} : { body: { type: 'x' } })
    assert.equal(reply.status, 405, reply.text)
    assert.match(reply.json().detail, /under their record/)
  }
})
