/** Values between the service and the inputs of the console: what a page shows and reads back is what was stored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExact } from '../../../console/api/exact-json.ts'
import { formatValue } from '../../../console/features/format/field-kinds.ts'
import { fromLocalTime, toLocalTime } from '../../../console/features/values/local-text.ts'
import {
  fromNumberText,
  fromWholeText,
  printTooMany,
  toNumberText,
  tooManyDecimals,
} from '../../../console/features/values/number-text.ts'
import { work as german } from '../../../console/texts/de/work.ts'
import { work as english } from '../../../console/texts/en/work.ts'
import { work as french } from '../../../console/texts/fr/work.ts'
import { work as croatian } from '../../../console/texts/hr/work.ts'
import { createRandom } from '../../support/fuzz/random.ts'

const runs = 200
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

const { below, pick, chance } = createRandom(seed)
const digits = (count: number): string =>
  Array.from({ length: count }, () => `${below(10)}`).join('')
const sign = () => pick(['-', ''])
const whole = () => `${1 + below(9)}${digits(below(18))}`

const locales = ['en', 'de', 'fr', 'hr']
const zones = [
  'Europe/Zagreb',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'UTC',
]

test(`decimals come back digit by digit in every language (seed ${seed})`, () => {
  for (let run = 0; run < runs; run += 1) {
    const value = `${sign()}${chance(0.25) ? '0' : whole()}.${digits(1 + below(12))}`
    for (const locale of locales)
      assert.equal(fromNumberText(toNumberText(value, locale), locale), value)
  }
})

const reading = { locale: 'en', timeZone: 'UTC', isZoneNamed: false, words: { yes: '', no: '' } }
const field = { key: 'a', column: 'a', isSystem: false, isCalculated: false } as const

test('numbers of any length are read digit by digit, and a year without marks', () => {
  for (const whole of [1, 300, 301, 309, 131_072])
    for (const after of ['', '.25', `.${'1'.repeat(100)}`])
      for (const unit of [undefined, 'kg', 'EUR']) {
        const value = `-${'9'.repeat(whole)}${after}`
        const text = formatValue(value, { ...field, type: 'decimal' }, reading, unit)
        assert.equal(text.replaceAll(/[^\d.-]/g, ''), value)
      }
  const year = { ...field, type: 'integer' } as const
  assert.equal(formatValue(1998, year, reading), '1,998')
  assert.equal(formatValue(1998, { ...year, grouping: false }, reading), '1998')
})

test(`whole numbers come back digit by digit in every language (seed ${seed})`, () => {
  for (let run = 0; run < runs; run += 1) {
    const value = chance(0.02) ? '0' : `${sign()}${whole()}`
    // As the service gives it: digits that a number of JavaScript cannot hold are a text.
    const given = Number.isSafeInteger(Number(value)) ? Number(value) : value
    for (const locale of locales)
      assert.equal(fromWholeText(toNumberText(given, locale), locale), given)
  }
})

test('numbers are read as people write them', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['de', '1.204,50', '1204.50'],
    ['de', '1.204.000', '1204000'],
    ['de', '1204.50', '1204.50'],
    ['fr', '1 204,50', '1204.50'],
    ['fr', '1\u202f204,50', '1204.50'],
    ['hr', '-1.204,5', '-1204.5'],
    ['en', '1,204.50', '1204.50'],
    ['en', ' 12.5 ', '12.5'],
    ['en', '.5', '0.5'],
    ['en', '−3', '-3'],
    // What is no number is left for the service to reject.
    ['en', '1,20', '1,20'],
    // Groups of three begin with no zero.
    ['de', '0.500', '0.500'],
    ['en', '0,500', '0,500'],
    ['de', '1,2,3', '1,2,3'],
    ['de', '12.34.5', '12.34.5'],
    ['en', '12 pieces', '12 pieces'],
    ['en', '-', '-'],
  ]
  for (const [locale, text, expected] of cases) assert.equal(fromNumberText(text, locale), expected)
})

test('a number with more decimals than its field is refused with what it may mean', () => {
  const texts = { en: english.values, de: german.values, fr: french.values, hr: croatian.values }
  const amount = { type: 'decimal', precision: 14, scale: 2 } as const
  const weight = { type: 'decimal', precision: 14, scale: 3 } as const
  const rate = { type: 'decimal' } as const
  const count = { type: 'integer' } as const
  const more = 'has 3 decimals; this field takes'
  const cases = [
    ['en', amount, '12.00', undefined],
    ['en', weight, '12.000', undefined],
    ['en', rate, '12.000', undefined],
    ['en', count, '12,000', undefined],
    ['en', amount, '12.000', `12.000 ${more} at most 2. Enter 12,000 for 12000 or 12.00 for 12.`],
    ['en', amount, '-1.204', `-1.204 ${more} at most 2. Enter -1,204 for -1204 or fewer decimals.`],
    ['en', amount, '0.500', `0.500 ${more} at most 2. Enter 0.50 for 0.5.`],
    ['en', amount, '1204.500', `1204.500 ${more} at most 2. Enter 1,204.50 for 1204.5.`],
    [
      ...(['en', amount, '0.1234'] as const),
      '0.1234 has 4 decimals; this field takes at most 2. Enter fewer decimals.',
    ],
    ['en', count, '12.000', `12.000 ${more} whole numbers. Enter 12,000 for 12000 or 12.`],
    ['en', count, '12.5', 'Enter a whole number, such as 1,250.'],
    [
      ...(['de', amount, '12,000'] as const),
      '12,000 hat 3 Stellen nach dem Komma; erlaubt sind höchstens 2. Geben Sie 12.000 für 12000 oder 12,00 für 12 ein.',
    ],
    ['de', amount, '12.000', undefined],
    [
      ...(['fr', amount, '12,000'] as const),
      '12,000 a 3 décimales\u202f; ce champ en prend au plus 2. Saisissez 12\u202f000 pour 12000 ou 12,00 pour 12.',
    ],
    [
      ...(['hr', amount, '12,000'] as const),
      '12,000 ima 3 decimale; ovo polje prima najviše 2. Unesite 12.000 za 12000 ili 12,00 za 12.',
    ],
  ] as const
  for (const [locale, type, typed, expected] of cases) {
    const found = tooManyDecimals(fromNumberText(typed, locale), { ...field, ...type })
    assert.equal(found && printTooMany(found, texts[locale], locale), expected, typed)
  }
})

test(`JSON comes back with every digit and every text (seed ${seed})`, () => {
  const value = (depth: number): string => {
    const kind = below(depth > 3 ? 4 : 6)
    if (kind === 0) return `${sign()}${whole()}${chance(0.5) ? '' : `.${digits(3)}0`}`
    if (kind === 1) return `${sign()}${1 + below(9)}.${digits(5)}e${below(400)}`
    if (kind === 2) return JSON.stringify(String.fromCharCode(32 + below(60_000 - 4000)))
    if (kind === 3) return pick(['null', 'true', 'false'])
    const parts = Array.from({ length: below(5) }, () => value(depth + 1))
    return kind === 4
      ? `[${parts.join(',')}]`
      : `{${parts.map((part, at) => `"key ${at}":${part}`).join(',')}}`
  }
  for (let run = 0; run < runs; run += 1) {
    const text = value(0)
    assert.equal(JSON.stringify(parseExact(text)), text)
    // As an input shows it, indented.
    const shown = JSON.stringify(parseExact(text), null, 2)
    assert.equal(JSON.stringify(parseExact(shown)), text)
  }
})

const years = Date.UTC(2200, 0) - Date.UTC(1971, 0)

test(`moments come back to the millisecond in six time zones (seed ${seed})`, () => {
  for (let run = 0; run < runs; run += 1) {
    const moment = new Date(Date.UTC(1971, 0) + below(years / 1000) * 1000 + below(1000))
    const iso = moment.toISOString()
    for (const zone of zones) assert.equal(fromLocalTime(toLocalTime(iso, zone), zone, iso), iso)
  }
})

test('moments around the changes of clocks come back to the minute', () => {
  const changes = ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z', '2026-11-01T06:00:00Z']
  for (const change of changes)
    for (let minutes = -180; minutes <= 180; minutes += 1) {
      const iso = new Date(Date.parse(change) + minutes * 60_000).toISOString()
      for (const zone of zones) assert.equal(fromLocalTime(toLocalTime(iso, zone), zone, iso), iso)
    }
})

test('years of fewer than four digits are shown as an input of the browser takes them', () => {
  assert.equal(toLocalTime('0033-04-03T15:00:00.000Z', 'UTC'), '0033-04-03T15:00:00.000')
  assert.equal(fromLocalTime('0033-04-03T15:00:00.000', 'UTC'), '0033-04-03T15:00:00.000Z')
})
