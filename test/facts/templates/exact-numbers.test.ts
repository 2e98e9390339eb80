/** Filters that calculate: exact whatever the size, and empty where a value is empty. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTemplate, renderTemplate } from '../../../src/templates/liquid-template.ts'

const data = {
  net: '0.10',
  tax: '0.20',
  price: '4.35',
  big: '9007199254740993',
  long: '123456789012345680.000000000001',
  minus: '-2.5',
  empty: null,
  word: 'ten',
  lines: [{ cost: '0.10' }, { cost: '0.20' }, { cost: null }],
}
const render = (text: string) =>
  renderTemplate(parseTemplate(`{% assign start = 1 | plus: 2 %}${text}`), data, {
    locale: 'en',
    timeZone: 'UTC',
  })

const rows: readonly (readonly [expression: string, result: string])[] = [
  ['net | plus: tax', '0.30'],
  ['price | times: 100', '435.00'],
  ['price | minus: 1.15', '3.20'],
  ['price | minus: 5', '-0.65'],
  ['price | divided_by: 3', '1.45'],
  ['1 | divided_by: 3', '0.33333333333333333333'],
  ['10 | divided_by: 4', '2.5'],
  ['price | divided_by: 0', ''],
  ['big | plus: 1', '9007199254740994'],
  ['long | plus: 0', '123456789012345680.000000000001'],
  ['price | modulo: 1', '0.35'],
  ['minus | abs', '2.5'],
  ['minus | ceil', '-2'],
  ['minus | floor', '-3'],
  ['minus | round', '-3'],
  ['"1.005" | round: 2', '1.01'],
  ['price | at_most: 4.4', '4.35'],
  ['price | at_least: "10.5"', '10.5'],
  ['lines | sum: "cost"', '0.30'],
  ['"abcdef" | slice: start, 2', 'de'],
  ['empty | plus: tax', ''],
  ['net | plus: empty', ''],
  ['empty | round: 2', ''],
  ['word | plus: 1', 'ten'],
  ['price | plus: 1000 | number: "EUR"', 'EUR\u00a01,004.35'],
]
test('filters calculate exactly, and nothing from nothing', () => {
  for (const [expression, result] of rows)
    assert.equal(render(`{{ ${expression} }}`), result, expression)
})

test('a result compares as a number', () => {
  const text =
    '{% assign x = big | plus: 1 %}{% if x > big %}more{% endif %} {% if x < "10" %}less{% endif %}{% if x == "9007199254740994" %}same{% endif %}'
  assert.equal(render(text), 'more same')
})
