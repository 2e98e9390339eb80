/** Templates that search in long texts of records: same results as Liquid, in bounded time. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Liquid } from 'liquidjs'
import { parseTemplate, renderTemplate } from '../../../src/templates/liquid-template.ts'
import { createRandom } from '../../support/fuzz/random.ts'
import { longestStop } from '../../support/hostile/longest-stop.ts'
import { about, engineFiles } from '../../support/notifications/an-engine-project.ts'
import { type Engine, startEngine } from '../notifications/an-engine.ts'

const uses = [
  ...['replace', 'replace_first', 'replace_last'].map((name) => `a | ${name}: b, c`),
  ...['remove', 'remove_first', 'remove_last'].map((name) => `a | ${name}: b`),
  `a | split: b | join: '|'`,
].map((use) => `{{ ${use} }}`)
const contains = '{% if a contains b %}yes{% else %}no{% endif %}'
const templates = [...uses, contains]

const liquid = new Liquid()
const reading = { locale: undefined, timeZone: 'UTC' }
const { pick, next, below } = createRandom(1)
const letters = (most: number) => {
  const piece = Array.from({ length: 1 + below(3) }, () => pick(['a', 'a', 'b', '😀']))
  return piece
    .join('')
    .repeat(next() * most)
    .trim()
}

test('every filter and operator returns the same as Liquid, however long the search text is', () => {
  const places = new Map<string, number>()
  for (let count = 0; count < 3000; count++) {
    const needle = letters(60)
    const text = pick([letters(300), `${letters(20)}${needle}${letters(20)}${needle}${needle}`])
    const data = {
      a: pick<unknown>([text, text, [text, needle], null, 17]),
      b: pick<unknown>([needle, needle, needle, [needle, 'b'], null, undefined, 17]),
      c: pick<unknown>([letters(5), null, '$&', ['$1', 2]]),
    }
    for (const template of templates) {
      const expected = liquid.parseAndRenderSync(template, data).trim()
      const found = renderTemplate(parseTemplate(template), data, reading)
      assert.equal(found, expected, `${template} ${JSON.stringify(data)}`)
      if (found !== String(data.a) && needle.length > 32)
        places.set(template, (places.get(template) ?? 0) + 1)
    }
  }
  for (const template of templates) assert.ok((places.get(template) ?? 0) > 100, template)
})

test('the output of a template stays within its memory limit', () => {
  const data = { a: 'x'.repeat(40).repeat(2000), b: 'x'.repeat(40), c: 'y'.repeat(100_000) }
  assert.throws(
    () => renderTemplate(parseTemplate('{{ a | replace: b, c }}'), data, reading),
    /memory/,
  )
})

const message = uses.map((use) => use.replace('a', 'record.notes').replace(': b', ': record.extra'))
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
