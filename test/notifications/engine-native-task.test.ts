/** Hooks and notifications of the native entity `task` work like those of any other entity. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Engine, hooks, startEngine } from './an-engine.ts'

// Written beside the handler, for all to read.
const handler = `const { appendFileSync } = require('node:fs')
exports.exec = ({ entityKey, operation, changes, actor }) => {
  const line = JSON.stringify({ entityKey, operation, changes, actor: actor.full_name })
  appendFileSync(__dirname + '/heard.jsonl', line + '\\n')
}`

const heard = { type: 'message', hookType: 'AfterChange', functionName: 'hear' }
const task = {
  key: 'task',
  extends: 'native',
  fields: [],
  // Twice: each of them runs once.
  hooks: [...hooks, heard, ...hooks, heard],
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
  engine = await startEngine(
    [],
    {},
    {
      'entities/task.json': task,
      'message-handlers/hear.cjs': handler,
    },
  )
  record = await engine.create({ number: 'R-1' })
})
after(() => engine.stop())

const ask = async (status: number, method: string, path: string, body?: object) => {
  const reply = await engine.ask(method, path, body === undefined ? {} : { body })
  assert.equal(reply.status, status, reply.text)
  return reply
}
const linesHeard = async () => {
  await engine.settled()
  const file = join(engine.project.directory, 'message-handlers', 'heard.jsonl')
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

test('a task that is created, changed and removed is told to its hooks, as explained', async () => {
  const assigne_id = engine.ids.sam
  const body = { description: 'Check', assigne_id }
  const { id } = (await ask(201, 'POST', `/request/${record}/task`, body)).json()
  await engine.settled()
  const { rows } = await engine.database.pool.query<{ name: string; title: string }>(
    `SELECT u.first_name AS name, n.content ->> 'title' AS title FROM docket.notification n JOIN records."user" u ON u.id = n.user_id
     WHERE n.entity_key = 'task' AND n.entity_id = $1 ORDER BY 1`,
    [id],
  )
  // The assignee's role has no right on tasks; a task of one's own may be read by anybody.
  assert.deepEqual(
    rows.map(({ title }) => title),
    ['Do Check', 'Do Check'],
  )
  assert.ok(rows.some(({ name }) => name === 'sam'))
  const wish = { entityKey: 'task', entityId: id, operation: 'create' }
  const explained = (await ask(200, 'POST', '/api/notifications/explain', wish)).json()
  assert.equal(explained.isActive, true)
  assert.deepEqual(
    explained.entries[0].recipients.map(({ told }: { told: boolean }) => told),
    [true, true],
  )
  await ask(204, 'PUT', `/request/${record}/${id}`, { description: 'Check twice' })
  // Nothing differs: nothing is told.
  await ask(204, 'PUT', `/request/${record}/${id}`, { description: 'Check twice' })
  await ask(204, 'DELETE', `/request/${record}/${id}`)
  const lines = await linesHeard()
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

test('of a task that was refused nothing is told', async () => {
  const before = (await linesHeard()).length
  await ask(422, 'POST', `/request/${record}/task`, { description: 'x', assigne_id: 99_999 })
  assert.equal((await linesHeard()).length, before)
})
