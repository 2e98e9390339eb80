/** Tasks and their links to further records: created, replaced as a whole, removed and restored with the records. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { issuesOf } from '../../support/a-project.ts'
import {
  ask,
  createRecord,
  createTask,
  ids,
  idsOf,
  messagesOf,
  operationsOf,
  rowsOf,
  shareTasks,
  taskIdsOf,
  tasksOf,
  users,
} from './a-task-project.ts'

shareTasks()

const link = (key: string, entity_id: number) => ({ key, entity_id })
const statusOf = async (path: string) => (await ask('GET', path)).status

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
  // A task that is linked to its own record is listed once.
  const body = { related_entities: [link('matter', record)] }
  assert.equal((await ask('PUT', `/matter/${record}/${taskId}`, { body })).status, 204)
  assert.deepEqual(await taskIdsOf(`/matter/${record}`), [taskId])
})

test('PUT replaces all links, and keeps them when the body has no related_entities', async () => {
  const record = await createRecord()
  const [a, b] = [await createRecord('party'), await createRecord('party')]
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
    `SELECT changes FROM docket.history WHERE part_id = $1 AND operation = 'changeTask' ORDER BY id DESC LIMIT 1`,
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

describe('a record that is removed', () => {
  const remove = async (path: string) => assert.equal((await ask('DELETE', path)).status, 204)
  const restore = async (record: number) =>
    assert.equal((await ask('POST', `/matter/${record}/restore`)).status, 200)

  test('loses its own tasks and the links of other tasks to it', async () => {
    const [record, other] = [await createRecord(), await createRecord()]
    const related_entities = [link('matter', other)]
    const own = await createTask(record, { assigne_id: ids.worker, related_entities })
    const linked = await createTask(other, { related_entities: [link('matter', record)] })
    await remove(`/matter/${record}`)
    const [task, ...others] = await tasksOf(`/matter/${other}`)
    assert.deepEqual([task.id, task.related_entities, others], [linked, [], []])
    const gone = await Promise.all([`/task/${own}`, `/matter/${record}/task`].map(statusOf))
    assert.deepEqual(gone, [404, 404])
    const mine = await ask('GET', '/api/tasks?limit=1000', { as: users.worker })
    assert.ok(!idsOf(mine.json().data).includes(own))
  })

  test('gets back the tasks that were removed with it, and each once, as often as it is restored', async () => {
    const record = await createRecord()
    const [kept, gone] = [await createTask(record), await createTask(record)]
    await remove(`/matter/${record}/${gone}`)
    for (const operations of [
      ['restoreTask', 'removeTask', 'createTask'],
      ['restoreTask', 'removeTask', 'restoreTask', 'removeTask', 'createTask'],
    ]) {
      await remove(`/matter/${record}`)
      await restore(record)
      assert.deepEqual(await taskIdsOf(`/matter/${record}`), [kept])
      assert.deepEqual(await operationsOf(kept), operations)
    }
  })

  test('gets back links of other tasks, also when both records were removed', async () => {
    const [one, two] = [await createRecord(), await createRecord()]
    const task = await createTask(one, { related_entities: [link('matter', two)] })
    await remove(`/matter/${two}`)
    await remove(`/matter/${one}`)
    await restore(two)
    assert.deepEqual(await taskIdsOf(`/matter/${two}`), [])
    await restore(one)
    for (const id of [one, two]) assert.deepEqual(await taskIdsOf(`/matter/${id}`), [task])
  })

  test('causes one message for a task that became overdue meanwhile when it is restored', async () => {
    const record = await createRecord()
    const due_date = new Date(Date.now() + 48 * 3_600_000).toISOString()
    const task = await createTask(record, { assigne_id: ids.worker, due_date })
    await remove(`/matter/${record}`)
    await rowsOf(`UPDATE records.task SET due_date = now() - interval '1 hour' WHERE id = $1`, [
      task,
    ])
    await restore(record)
    const kinds = (await messagesOf(task)).map(({ kind }: { kind: string }) => kind)
    assert.deepEqual(kinds, ['assigned', 'overdue'])
  })
})

test('no link is left when a record is removed while a task is linked to it', async () => {
  for (let round = 0; round < 6; round++) {
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
