/** Hooks and notifications of the native entity `task` work like those of any other entity. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { engineFiles, hooks } from '../../support/notifications/an-engine-project.ts'
import { type Engine, startEngine } from './an-engine.ts'

// The handler writes its calls to a file in its folder.
const handler = `const { appendFileSync } = require('node:fs')
exports.exec = ({ entityKey, operation, changes, actor }) => {
  const line = JSON.stringify({ entityKey, operation, changes, actor: actor.full_name })
  appendFileSync(__dirname + '/calls.jsonl', line + '\\n')
}`

const recordHook = { type: 'message', hookType: 'AfterChange', functionName: 'record' }
const task = {
  key: 'task',
  extends: 'native',
  fields: [],
  // Each hook is listed twice and runs once.
  hooks: [...hooks, recordHook, ...hooks, recordHook],
  notifications: [
    {
      operation: 'create',
      recipient: { userFields: ['assigne', '_created_by'] },
      content: { icon: 'new', title: 'Do {{ record.description }}' },
    },
  ],
}

let engine: Engine
let record: number
before(async () => {
  const files = {
    ...engineFiles([]),
    'entities/task.json': task,
    'message-handlers/record.cjs': handler,
  }
  engine = await startEngine(files)
  record = await engine.create({ number: 'R-1' })
})
after(() => engine.stop())

const ask = async (status: number, method: string, path: string, body?: object) => {
  const reply = await engine.ask(method, path, body === undefined ? {} : { body })
  assert.equal(reply.status, status, reply.text)
  return reply
}
const recordedCalls = async () => {
  await engine.settled()
  const file = join(engine.project.directory, 'message-handlers', 'calls.jsonl')
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

test('create, change and remove of a task run its hooks and notify the recipients that explain lists', async () => {
  const assigne_id = engine.ids.sam
  const body = { description: 'Check', assigne_id }
  const { id } = (await ask(201, 'POST', `/request/${record}/task`, body)).json()
  await engine.settled()
  const { rows } = await engine.database.pool.query<{ name: string; title: string }>(
    `SELECT u.first_name AS name, n.content ->> 'title' AS title FROM docket.notification n JOIN records."user" u ON u.id = n.user_id
     WHERE n.entity_key = 'task' AND n.entity_id = $1 ORDER BY 1`,
    [id],
  )
  // The role of the assignee has no permission on tasks, but assignees may read their own tasks.
  assert.deepEqual(
    rows.map(({ title }) => title),
    ['Do Check', 'Do Check'],
  )
  assert.ok(rows.some(({ name }) => name === 'sam'))
  const explainBody = { entityKey: 'task', entityId: id, operation: 'create' }
  const explanation = (await ask(200, 'POST', '/api/notifications/explain', explainBody)).json()
  assert.equal(explanation.isActive, true)
  assert.deepEqual(
    explanation.entries[0].recipients.map(({ told }: { told: boolean }) => told),
    [true, true],
  )
  await ask(204, 'PUT', `/request/${record}/${id}`, { description: 'Check twice' })
  // Hooks of different changes may run side by side.
  await engine.settled()
  // Without a difference no hook runs.
  await ask(204, 'PUT', `/request/${record}/${id}`, { description: 'Check twice' })
  await ask(204, 'DELETE', `/request/${record}/${id}`)
  const lines = await recordedCalls()
  assert.deepEqual(
    lines.map(({ entityKey, operation, actor }) => [entityKey, operation, actor]),
    ['create', 'change', 'remove'].map((operation) => ['task', operation, 'Administrator']),
  )
  const [created, changed, removed] = lines.map(({ changes }) => changes)
  assert.deepEqual(created.description, { after: 'Check' })
  assert.deepEqual(created.assigne_id, { after: assigne_id })
  assert.deepEqual(changed, { description: { before: 'Check', after: 'Check twice' } })
  assert.deepEqual(removed, { _is_deleted: { before: false, after: true } })
})

test('a rejected task runs no hook', async () => {
  const before = (await recordedCalls()).length
  await ask(422, 'POST', `/request/${record}/task`, { description: 'x', assigne_id: 99_999 })
  assert.equal((await recordedCalls()).length, before)
})
