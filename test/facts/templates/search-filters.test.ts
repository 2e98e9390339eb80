/** Templates that search in long texts of records: same results as Liquid. Their time is measured in long/corpus. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Liquid } from 'liquidjs'
import { parseTemplate, renderTemplate } from '../../../src/templates/liquid-template.ts'
import { createRandom } from '../../support/fuzz/random.ts'

/** The filters that search, as a message uses them for a text `a`. */
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
  for (let count = 0; count < 1000; count++) {
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
  for (const template of templates) assert.ok((places.get(template) ?? 0) > 30, template)
})

test('the output of a template stays within its memory limit', () => {
  const data = { a: 'x'.repeat(40).repeat(2000), b: 'x'.repeat(40), c: 'y'.repeat(100_000) }
  assert.throws(
    () => renderTemplate(parseTemplate('{{ a | replace: b, c }}'), data, reading),
    /memory/,
  )
})
