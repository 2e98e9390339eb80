/** Links of tasks to further records: created, replaced as a whole, and removed with the records. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  createRecord,
  createTask,
  issuesOf,
  rowsOf,
  shareTasks,
  taskIdsOf,
  tasksOf,
  users,
} from './a-task-project.ts'

shareTasks()

const link = (key: string, entity_id: number) => ({ key, entity_id })

test('a task with related_entities is listed under each linked record', async () => {
  const [record, other, party] = [
    await createRecord(),
    await createRecord(),
    await createRecord('party'),
  ]
  const related_entities = [link('party', party), link('matter', other), link('party', party)]
  const taskId = await createTask(record, { related_entities })
  for (const path of [`/matter/${record}`, `/matter/${other}`, `/party/${party}`])
    assert.deepEqual(await taskIdsOf(path), [taskId], path)
  const [task] = await tasksOf(`/party/${party}`)
  assert.deepEqual(task.related_entities, [link('matter', other), link('party', party)])
  assert.deepEqual([task.key, task.entity_id], ['matter', record])
  // The task can be changed under a linked record too.
  const done = await ask('PUT', `/party/${party}/${taskId}`, { body: { is_completed: true } })
  assert.equal(done.status, 204)
})

test('a task that is linked to its own record is listed once', async () => {
  const record = await createRecord()
  const taskId = await createTask(record, { related_entities: [link('matter', record)] })
  assert.deepEqual(await taskIdsOf(`/matter/${record}`), [taskId])
})

test('PUT replaces all links, and keeps them when the body has no related_entities', async () => {
  const [record, a, b] = [
    await createRecord(),
    await createRecord('party'),
    await createRecord('party'),
  ]
  const taskId = await createTask(record, { related_entities: [link('party', a)] })
  const put = (body: object) => ask('PUT', `/matter/${record}/${taskId}`, { body })
  assert.equal((await put({ description: 'x' })).status, 204)
  assert.deepEqual(await taskIdsOf(`/party/${a}`), [taskId])
  const replaced = await put({ related_entities: [link('party', b)] })
  assert.deepEqual([replaced.status, replaced.headers.get('etag')], [204, '"3"'])
  assert.deepEqual([await taskIdsOf(`/party/${a}`), await taskIdsOf(`/party/${b}`)], [[], [taskId]])
  const same = await put({ related_entities: [link('party', b)] })
  assert.equal(same.headers.get('etag'), '"3"')
  assert.equal((await put({ related_entities: [] })).status, 204)
  assert.deepEqual(await taskIdsOf(`/party/${b}`), [])
  const [{ changes }] = await rowsOf(
    `SELECT changes FROM docket.history WHERE task_id = $1 AND operation = 'changeTask' ORDER BY id DESC LIMIT 1`,
    [taskId],
  )
  assert.deepEqual(JSON.parse(changes), {
    related_entities: { before: [link('party', b)], after: [] },
  })
})

test('a link to a missing or unreadable record returns 422 with the path of the link, and nothing is written', async () => {
  const record = await createRecord()
  const party = await createRecord('party')
  const secret = await createRecord('secret')
  const taskId = await createTask(record, { related_entities: [link('party', party)] })
  const related_entities = [link('party', party), link('secret', secret), link('party', 4711)]
  for (const [method, path] of [
    ['POST', `/matter/${record}/task`],
    ['PUT', `/matter/${record}/${taskId}`],
  ] as const) {
    const body = { description: 'never', related_entities }
    const reply = await ask(method, path, { body, as: users.worker })
    assert.deepEqual(
      issuesOf(reply, 422).map((text) => text.split(' ')[0]),
      ['related_entities[1]', 'related_entities[2]'],
    )
  }
  const tasks = await tasksOf(`/matter/${record}`)
  assert.deepEqual(
    tasks.map((task: { description: string }) => task.description),
    [''],
  )
  assert.deepEqual(await taskIdsOf(`/party/${party}`), [taskId])
})

test('removing a record removes its own tasks and the links of other tasks to it', async () => {
  const [record, other] = [await createRecord(), await createRecord()]
  const own = await createTask(record, {
    assigne_id: 1,
    related_entities: [link('matter', other)],
  })
  const linked = await createTask(other, { related_entities: [link('matter', record)] })
  assert.equal((await ask('DELETE', `/matter/${record}`)).status, 204)
  assert.deepEqual(await taskIdsOf(`/matter/${other}`), [linked])
  const [task] = await tasksOf(`/matter/${other}`)
  assert.deepEqual(task.related_entities, [])
  assert.equal((await ask('GET', `/task/${own}`)).status, 404)
  const mine = await ask('GET', '/api/tasks?limit=1000')
  assert.ok(!mine.json().data.some(({ id }: { id: number }) => id === own))
  assert.equal((await ask('GET', `/matter/${record}/task`)).status, 404)
  const [{ operation }] = await rowsOf(
    'SELECT operation FROM docket.history WHERE task_id = $1 ORDER BY id DESC LIMIT 1',
    [own],
  )
  assert.equal(operation, 'removeTask')
})

test('no link is left when a record is removed while a task is linked to it', async () => {
  for (let round = 0; round < 10; round++) {
    const [record, party] = [await createRecord(), await createRecord('party')]
    const body = { related_entities: [link('party', party)] }
    const [removed, created] = await Promise.all([
      ask('DELETE', `/party/${party}`),
      ask('POST', `/matter/${record}/task`, { body }),
    ])
    assert.equal(removed.status, 204)
    assert.ok([201, 422].includes(created.status), created.text)
    const left = await rowsOf(
      `SELECT FROM docket.task_link WHERE key = 'party' AND entity_id = $1`,
      [party],
    )
    assert.equal(left.length, 0)
  }
})
