/** Filters of templates: they calculate exactly, write numbers and days in the language of the project, and search as Liquid does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Liquid } from 'liquidjs'
import type { Field } from '../../../console/api/types.ts'
import { formatValue } from '../../../console/features/format/field-kinds.ts'
import { parseTemplate, renderTemplate } from '../../../src/templates/liquid-template.ts'
import { createRandom } from '../../support/fuzz/random.ts'

const timeZone = 'Europe/Zagreb'
const render = (text: string, data: object, locale?: string, kind?: 'text' | 'html') =>
  renderTemplate(parseTemplate(text, kind), data, { locale, timeZone })
const number = (value: unknown, unit?: unknown, locale?: string) =>
  render('{{ value | number: unit }}', { value, unit }, locale)
const day = (value: unknown, locale?: string) =>
  render('{{ value | local_date }}', { value }, locale)

const numbers: readonly [value: unknown, unit: unknown, english: string, german: string][] = [
  ['1895.01', undefined, '1,895.01', '1.895,01'],
  ['1895.01', 'EUR', 'EUR\u00a01,895.01', '1.895,01\u00a0EUR'],
  ['-1895.00', 'EUR', '-EUR\u00a01,895.00', '-1.895,00\u00a0EUR'],
  ['1895.01', 'SEK', 'SEK\u00a01,895.01', '1.895,01\u00a0SEK'],
  ['1895.00', 'JPY', 'JPY\u00a01,895.00', '1.895,00\u00a0JPY'],
  ['1895.0000', 'EUR', 'EUR\u00a01,895.00', '1.895,00\u00a0EUR'],
  ['0.1234', 'EUR', 'EUR\u00a00.1234', '0,1234\u00a0EUR'],
  ['1895', 'EUR', 'EUR\u00a01,895', '1.895\u00a0EUR'],
  ['1234.500', 'kg', '1,234.5\u00a0kg', '1.234,5\u00a0kg'],
  ['5.00', '%', '5\u00a0%', '5\u00a0%'],
  ['12.50', undefined, '12.50', '12,50'],
  ['12.500', undefined, '12.5', '12,5'],
  ['1.00000000', undefined, '1', '1'],
  ['12', '', '12', '12'],
  ['12', ' \n ', '12', '12'],
  ['12', null, '12', '12'],
  [12345, undefined, '12,345', '12.345'],
  [0.5, undefined, '0.5', '0,5'],
  [
    '12345678901234567890.1234567890123456789012345678901',
    undefined,
    '12,345,678,901,234,567,890.1234567890123456789012345678901',
    '12.345.678.901.234.567.890,1234567890123456789012345678901',
  ],
]
test('numbers read as the language of the project writes them, with their unit', () => {
  for (const [value, unit, english, german] of numbers)
    assert.deepEqual([number(value, unit), number(value, unit, 'de')], [english, german])
})

const dates: readonly [value: string, british: string, german: string][] = [
  ['2026-11-24', '24 Nov 2026', '24.11.2026'],
  ['0001-01-01', '1 Jan 1', '01.01.1'],
  ['2026-11-24T23:30:00.000Z', '25 Nov 2026, 00:30', '25.11.2026, 00:30'],
  ['2026-07-24T23:30:00+02:00', '24 Jul 2026, 23:30', '24.07.2026, 23:30'],
  ['2026-11-24 09:00:00', '24 Nov 2026, 09:00', '24.11.2026, 09:00'],
]
test('days and moments read as the language of the project writes them, in its time zone', () => {
  for (const [value, british, german] of dates)
    assert.deepEqual([day(value, 'en-GB'), day(value, 'de')], [british, german])
})

test('what is no number is printed as it came, and nothing for null, without the unit', () => {
  const texts = ['', 'twelve', '1,895.01', '1e5', '0x10', '12 kg', '007', '+1', '.5', '5.', 'NaN']
  // Intl would print infinity, and round.
  const long = ['9'.repeat(301), `1.${'1'.repeat(101)}`, '9'.repeat(1_000_000)]
  for (const text of [...texts, ...long]) assert.equal(number(text, 'EUR'), text)
  for (const none of [null, undefined]) assert.equal(number(none, 'EUR'), '')
  assert.equal(number(true, 'EUR'), 'true')
  assert.equal(number(1e300, 'EUR'), '1e+300')
  assert.equal(number(['1', '2'], 'EUR'), '12')
  const longest = `${'9'.repeat(300)}.${'1'.repeat(100)}`
  assert.equal(number(longest).replaceAll(',', ''), longest)
})

test('what is no date is printed as it came', () => {
  const texts = ['', 'tomorrow', '2026', '2026-02-30', '2026-13-01', '24.11.2026', '20261124']
  const long = [`2026-11-24${' '.repeat(1_000_000)}.`, '1'.repeat(1_000_000)]
  for (const text of [...texts, ...long]) assert.equal(day(text, 'de'), text.trim())
  for (const none of [null, undefined]) assert.equal(day(none), '')
  assert.equal(day(20261124), '20261124')
})

test('a unit may be any value of a record', () => {
  for (const unit of ['eur', 'XYZ', '€', 'constructor', '__proto__', 'en-US', '\u0000'])
    assert.equal(number('1.5', unit), `1.5\u00a0${unit}`)
  const odd: unknown[] = [
    {},
    [],
    ['EUR'],
    { toString: 'x' },
    [{ toString: 'x' }],
    { a: { b: 1 } },
    true,
    5,
  ]
  for (const unit of [...odd, JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)])
    assert.equal(number('1.5', unit), '1.5')
  assert.equal(number('1.5', 'x'.repeat(1_000_000)), `1.5\u00a0${'x'.repeat(99)}…`)
  const markup = { value: '1.5', unit: '<b>kg</b>' }
  const html = render('<p>{{ value | number: unit }}</p>', markup, 'de', 'html')
  assert.equal(html, '<p>1,5\u00a0&lt;b&gt;kg&lt;/b&gt;</p>')
})

test('a language that is not known is English, whatever the language of the machine', () => {
  for (const locale of ['tlh', 'xx', undefined]) {
    assert.equal(number('1895.01', 'EUR', locale), 'EUR\u00a01,895.01')
    assert.equal(day('2026-11-24', locale), 'Nov 24, 2026')
  }
})

test('no two currencies read the same in a language', () => {
  const codes = Intl.supportedValuesOf('currency')
  for (const locale of 'en en-GB en-CA de de-CH hr fr es-MX sv ja zh'.split(' '))
    assert.equal(new Set(codes.map((code) => number('1.00', code, locale))).size, codes.length)
})

test('the filter date of Liquid is the usual one', () => {
  const value = '2026-11-24'
  assert.equal(render('{{ value | date: "%d/%m/%Y" }}', { value }, 'de'), '24/11/2026')
})

test('numbers and dates read as in the console', () => {
  const words = { yes: 'yes', no: 'no' }
  for (const locale of ['en', 'en-GB', 'de', 'hr']) {
    const inConsole = (value: unknown, field: object, unit?: string) =>
      formatValue(value, field as Field, { locale, timeZone, isZoneNamed: false, words }, unit)
    const long = ['9'.repeat(300), `-${'9'.repeat(301)}.50`, '9'.repeat(100_000)]
    for (const text of [
      ...'0 -1 1234 1234.5 -1234567.50 0.120 1.00000000 7.00'.split(' '),
      ...long,
    ]) {
      const field = { type: 'decimal', scale: text.split('.')[1]?.length ?? 0 }
      for (const unit of [undefined, 'EUR', 'USD', 'JPY', 'kg', 'running metre'])
        assert.equal(number(text, unit, locale), inConsole(text, field, unit))
    }
    assert.equal(day('2026-11-24', locale), inConsole('2026-11-24', { type: 'date' }))
    const moment = '2026-11-24T08:00:00.000Z'
    assert.equal(day(moment, locale), inConsole(moment, { type: 'timestamp' }))
  }
})

const amounts = {
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
const calculate = (text: string) =>
  renderTemplate(parseTemplate(`{% assign start = 1 | plus: 2 %}${text}`), amounts, {
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
    assert.equal(calculate(`{{ ${expression} }}`), result, expression)
})

test('a result compares as a number', () => {
  const text =
    '{% assign x = big | plus: 1 %}{% if x > big %}more{% endif %} {% if x < "10" %}less{% endif %}{% if x == "9007199254740994" %}same{% endif %}'
  assert.equal(calculate(text), 'more same')
})

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
  for (let count = 0; count < 500; count++) {
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
  for (const template of templates) assert.ok((places.get(template) ?? 0) > 15, template)
})

test('the output of a template stays within its memory limit', () => {
  const data = { a: 'x'.repeat(40).repeat(2000), b: 'x'.repeat(40), c: 'y'.repeat(100_000) }
  assert.throws(
    () => renderTemplate(parseTemplate('{{ a | replace: b, c }}'), data, reading),
    /memory/,
  )
})
