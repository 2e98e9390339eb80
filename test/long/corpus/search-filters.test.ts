/** The thread that explains templates which search in long texts of records goes on to answer others. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Engine, startEngine } from '../../service/notifications/an-engine.ts'
import { longestStop } from '../../support/hostile/longest-stop.ts'
import { about, engineFiles } from '../../support/notifications/an-engine-project.ts'

const message = [
  ...['replace', 'replace_first', 'replace_last'].map(
    (name) => `record.notes | ${name}: record.extra, c`,
  ),
  ...['remove', 'remove_first', 'remove_last'].map(
    (name) => `record.notes | ${name}: record.extra`,
  ),
  `record.notes | split: record.extra | join: '|'`,
].map((use) => `{{ ${use} }}`)
const recipient = { userFields: ['approver'] }
let engine: Engine
before(async () => {
  const content = {
    title: '{% if record.notes contains record.extra %}yes{% else %}no{% endif %}',
    message: message.join(''),
  }
  engine = await startEngine(engineFiles([about('long', recipient, { content })]))
})
after(() => engine.stop())

test('explaining such a template blocks other requests for less than 200 ms', async () => {
  const half = 'a'.repeat(24_900)
  const extra = `${half}b${half}`
  const values = { topic: 'long', notes: 'a'.repeat(99_000), extra, approver_id: engine.ids.anna }
  const entityId = await engine.create(values)
  const body = { entityKey: 'request', entityId, operation: 'create' }
  const stop = await longestStop(async () => {
    const reply = await engine.ask('POST', '/api/notifications/explain', { body })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json().entries[0].recipients[0].content?.title, 'no', reply.text)
  })
  assert.ok(stop < 200, `the thread was blocked for ${Math.round(stop)} ms`)
})
