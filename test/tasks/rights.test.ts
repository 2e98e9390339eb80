/** Who may do what with tasks: role × record × assignee × operation, as one table. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  createRecord,
  createTask,
  people,
  type Role,
  rowsOf,
  startTasks,
  type TaskService,
} from './a-task-project.ts'

let service: TaskService
let ask: TaskService['ask']
before(async () => {
  service = await startTasks()
  ask = service.ask
})
after(() => service.stop())

type Who = Role | 'administrator'
const operations = ['list', 'create', 'change', 'complete', 'remove'] as const

// For each role: statuses of list, create, change, complete and remove.
type Statuses = readonly [number, number, number, number, number]
const all: Statuses = [200, 201, 204, 204, 204]
const none: Statuses = [403, 403, 403, 403, 403]
const absent: Statuses = [404, 404, 404, 404, 404]
// "assignees may always read and complete their own", and nothing else.
const assigned: Statuses = [200, 403, 403, 204, 403]

// Of a record that the person created, and of another's; of tasks assigned to them, and to others.
const table: readonly [who: Who, own: boolean, isAssignee: boolean, statuses: Statuses][] = [
  ['administrator', false, false, all],
  ['worker', true, false, all],
  ['worker', false, false, all],
  ['worker', false, true, all],
  ['owner', true, false, all],
  ['owner', true, true, all],
  ['owner', false, false, none],
  ['owner', false, true, assigned],
  ['reader', false, false, none],
  ['reader', false, true, assigned],
  ['clerk', false, true, assigned],
  // A right to tasks of records that cannot be read reaches none.
  ['blind', false, false, absent],
  ['blind', false, true, [200, 404, 403, 204, 403]],
  ['nobody', false, false, absent],
  ['nobody', false, true, [200, 404, 403, 204, 403]],
]

const requestOf = (operation: string, record: number, taskId: number) =>
  ({
    list: ['GET', `/matter/${record}/task`, undefined],
    create: ['POST', `/matter/${record}/task`, { description: 'new' }],
    change: ['PUT', `/matter/${record}/${taskId}`, { description: 'x', is_completed: true }],
    complete: ['PUT', `/matter/${record}/${taskId}`, { is_completed: true }],
    remove: ['DELETE', `/matter/${record}/${taskId}`, undefined],
  })[operation] as [string, string, object | undefined]

for (const [who, own, isAssignee, statuses] of table)
  describe(`${who}, ${own ? 'own' : "another's"} record, ${isAssignee ? 'assignee' : 'not assignee'}`, () => {
    for (const [index, operation] of operations.entries())
      test(`${operation}: ${statuses[index]}`, async () => {
        const as = who === 'administrator' ? undefined : people[who]
        const record = await createRecord(service, 'matter', own ? as : undefined)
        const assignee = who === 'administrator' ? 1 : service.ids[who]
        const taskId = await createTask(service, record, {
          assigne_id: isAssignee ? assignee : null,
        })
        await createTask(service, record, { description: "somebody else's" })
        const before = await rowsOf(service, 'SELECT * FROM records.task WHERE id = $1', [taskId])
        const [method, path, body] = requestOf(operation, record, taskId)
        const reply = await ask(method, path, { ...(as && { as }), ...(body && { body }) })
        assert.equal(reply.status, statuses[index], reply.text)
        const after = await rowsOf(service, 'SELECT * FROM records.task WHERE id = $1', [taskId])
        if (reply.status >= 400) assert.deepEqual(after, before)
        if (operation === 'list' && reply.status === 200) {
          const shown = reply.json().map((task: { id: number }) => task.id)
          assert.deepEqual(shown.length, statuses === all ? 2 : 1)
          assert.ok(shown.includes(taskId))
        }
      })
  })

test('a task of one record is out of reach through a record that it is not linked to', async () => {
  const [record, other] = [await createRecord(service), await createRecord(service)]
  const taskId = await createTask(service, record, { assigne_id: service.ids.reader })
  const path = `/matter/${other}/${taskId}`
  for (const as of [people.reader, people.worker, undefined]) {
    const reply = await ask('PUT', path, { body: { is_completed: true }, ...(as && { as }) })
    assert.ok([403, 404].includes(reply.status), reply.text)
  }
})

test('the table of records: a task is read, searched and exported by the right on "task"', async () => {
  const record = await createRecord(service)
  await createTask(service, record, { description: 'seen', payload: 'hidden' })
  const list = await ask('GET', '/task?limit=1000', { as: people.clerk })
  assert.equal(list.status, 200)
  const seen = list.json().data.find((task: { entity_id: number }) => task.entity_id === record)
  assert.equal(seen.description, 'seen')
  assert.equal('payload' in seen, false)
  const body = { $where: { entity_id: record }, $select: ['description'] }
  const found = await ask('POST', '/task/search', { as: people.clerk, body })
  assert.deepEqual(found.json().data, [{ description: 'seen' }])
  const csv = await ask('POST', '/task/export', { as: people.clerk, body })
  assert.deepEqual([csv.status, csv.text], [200, 'description\r\nseen\r\n'])
  for (const [method, path] of [
    ['GET', '/task'],
    ['POST', '/task/search'],
    ['POST', '/task/export'],
  ] as const)
    assert.equal(
      (await ask(method, path, { as: people.worker, ...(method === 'POST' && { body: {} }) }))
        .status,
      403,
    )
})

test('tasks are written under their record only', async () => {
  const taskId = await createTask(service, await createRecord(service))
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
