/** Truncated texts keep whole characters, and half a character in a text does not break a list. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { about } from '../../support/notifications/an-engine-project.ts'
import { type Engine, startEngine } from './an-engine.ts'

const emoji = '\u{1f600}'
const recipient = { userFields: ['approver'] }
const ruleWithTitle = (topic: string, title: string) =>
  about(topic, recipient, { content: { title } })

let engine: Engine
before(async () => {
  engine = await startEngine([
    ruleWithTitle('split', `{{ record.notes | split: '' | first }}`),
    ruleWithTitle('nul', `{{ record.notes | url_decode }}`),
  ])
})
after(() => engine.stop())

const sorted = async () => {
  const reply = await engine.ask('GET', '/api/notifications?sortField=content', {
    as: engine.mailOf('anna'),
  })
  assert.equal(reply.status, 200, reply.text)
  assert.ok(reply.text.isWellFormed())
  assert.doesNotMatch(reply.text, /(?<!\\)\\u(d[89a-f]|0000)/)
  return reply.json().map(({ content }: { content: { title: string } }) => content)
}

test('the first line of a description is truncated between characters', async () => {
  const record = await engine.create({ number: 'R-1' })
  const body = { description: `a${emoji.repeat(250)}`, assigne_id: engine.ids.anna }
  const reply = await engine.ask('POST', `/request/${record}/task`, { body })
  assert.equal(reply.status, 201, reply.text)
  await engine.settled()
  const [{ message }] = await sorted()
  assert.equal(message, `Administrator: a${emoji.repeat(199)} (Request R-1)`)
})

test('half a character from a template is stored as U+FFFD', async () => {
  const approver_id = engine.ids.anna
  for (const [topic, notes, title] of [
    ['split', `${emoji}!`, '\ufffd'],
    ['nul', 'a%00b', 'a\ufffdb'],
  ] as const) {
    const id = await engine.create({ topic, notes, approver_id })
    assert.equal((await engine.notificationsAbout(id))[0]?.content.title, title)
  }
  assert.ok((await sorted()).length >= 2)
})

const migrationFile = new URL(
  '../../../src/database/migrations/0020-whole-characters.sql',
  import.meta.url,
)

test('the migration corrects stored texts with half a character', async () => {
  const { pool } = engine.database
  // Two backslashes are followed by plain letters.
  const stored = String.raw`{"icon":"","title":"\ud83d","message":"\\ud83d \\\ud83d\ude00\ud83d \u0000 😀","url":null,"due_at":null}`
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, entity_key, content)
     VALUES (gen_random_uuid(), now(), $1, 1, 'request', $2) RETURNING _id AS id`,
    [engine.ids.anna, stored],
  )
  await pool.query(await readFile(migrationFile, 'utf8'))
  const found = await pool.query<{ content: string }>(
    'SELECT content FROM docket.notification WHERE _id = $1',
    [rows[0]?.id],
  )
  const { title, message } = JSON.parse(found.rows[0]?.content ?? '')
  assert.equal(title, '\ufffd')
  assert.equal(message, '\\ud83d \\\ufffd\ufffd\ufffd \ufffd 😀')
  await sorted()
})
