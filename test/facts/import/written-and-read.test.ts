/** What programs write of any value is read as the same value, or refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dateForms } from '../../../src/definitions/values/rules/csv-dialects.ts'
import { parseTimestamp } from '../../../src/definitions/values/timestamps.ts'
import { csvLine } from '../../../src/export/formats/csv.ts'
import { takeBackGuard } from '../../../src/export/formats/formula-guard.ts'
import { readCell } from '../../../src/import/read/cell-value.ts'
import { createCsvReader } from '../../../src/import/read/csv-rows.ts'
import { mapHeads } from '../../../src/import/read/mapping.ts'
import { localMoment } from '../../../src/import/read/read-day.ts'
import { type SheetRow, usualLimits } from '../../../src/import/read/sheet.ts'
import { excelDay } from '../../../src/import/read/workbook-rows.ts'
import { aReader } from '../../support/import/a-file.ts'

const { project, entity } = await aReader()

/** Values of a column of texts; undefined if its form is refused. */
const columnOf = (field: string, texts: readonly string[]): readonly unknown[] | undefined => {
  const sample = texts.map(
    (text, index): SheetRow => ({
      row: index + 2,
      line: index + 2,
      cells: [{ text, kind: 'text' }],
    }),
  )
  const dialect = {
    format: 'csv',
    encoding: 'utf-8',
    separator: '\t',
    decimal: undefined,
    dates: undefined,
    sheet: undefined,
    notes: [],
  } as const
  const {
    columns: [column],
    issues,
  } = mapHeads(project, entity, { heads: [field], sample, dialect })
  if (!column || issues.length > 0) return undefined
  return sample.map(({ cells: [cell] }) => {
    assert.ok(cell)
    const read = readCell(column, cell)
    return 'value' in read ? read.value : read
  })
}

const shape = fc.string({
  unit: fc.constantFrom(
    'a',
    '"',
    "'",
    '=',
    '-',
    '+',
    '1',
    ';',
    ',',
    '\n',
    '\r',
    '\t',
    ' ',
    '@',
    'ä',
    '＝',
  ),
})

test('lines that the service writes are read as the same texts, in pieces of any length', () => {
  // An apostrophe before a formula is a guard: a text that has one of its own cannot be told from it.
  const texts = fc.array(
    fc.oneof(shape, fc.string({ unit: 'binary' })).filter((text) => takeBackGuard(text) === text),
    { minLength: 1, maxLength: 5 },
  )
  fc.assert(
    fc.property(
      fc.array(texts, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 40 }),
      (lines, length) => {
        const whole = lines.map(csvLine).join('')
        const reader = createCsvReader(',', usualLimits)
        const rows: SheetRow[] = []
        for (let at = 0; at < whole.length; at += length)
          rows.push(...reader.read(whole.slice(at, at + length), false))
        rows.push(...reader.read('', true))
        const read = rows.map(({ cells }) => cells.map(({ text }) => takeBackGuard(text)))
        assert.deepEqual(
          read,
          lines.filter((line) => line.some((text) => text.trim() !== '' || /^[\t\r\n]/.test(text))),
        )
      },
    ),
  )
})

const locales = [
  'de',
  'de-AT',
  'de-CH',
  'en',
  'en-IN',
  'fr',
  'fr-CH',
  'hr',
  'sv',
  'pl',
  'es',
  'it',
  'pt-BR',
  'nl',
  'cs',
  'ja',
]

test('numbers as any country writes them are exact, or refused', () => {
  const digits = fc.tuple(
    fc.bigInt(-999_999_999n, 999_999_999n),
    fc.option(fc.integer({ min: 0, max: 9999 })),
  )
  let read = 0
  fc.assert(
    fc.property(
      fc.constantFrom(...locales),
      fc.array(digits, { minLength: 1, maxLength: 6 }),
      (locale, numbers) => {
        const texts = numbers.map(([whole, fraction]) =>
          fraction === null ? `${whole}` : `${whole}.${fraction}`,
        )
        const { format } = new Intl.NumberFormat(locale, { maximumFractionDigits: 10 })
        const found = columnOf(
          'weight',
          texts.map((text) => format(text as Intl.StringNumericLiteral)),
        )
        if (!found) return
        read += 1
        for (const [index, one] of found.entries())
          assert.equal(Number(one), Number(texts[index]), JSON.stringify([locale, texts, found]))
      },
    ),
    { numRuns: 500 },
  )
  assert.ok(read > 300)
})

const days = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

test('days as any country writes them are the same, or refused', () => {
  let read = 0
  fc.assert(
    fc.property(
      fc.constantFrom(...locales, 'en-US', 'en-GB', 'ko', 'fr-CA'),
      fc.array(days, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      (locale, all, isShort) => {
        const part = isShort ? 'numeric' : '2-digit'
        const { format } = new Intl.DateTimeFormat(locale, {
          year: 'numeric',
          month: part,
          day: part,
          timeZone: 'UTC',
        })
        const found = columnOf(
          'due',
          all.map((day) => format(new Date(day))),
        )
        if (!found) return
        read += 1
        assert.deepEqual(found, all, locale)
      },
    ),
    { numRuns: 500 },
  )
  assert.ok(read > 300)
})

test('days in all forms of exports are the same, unless each could be another', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...dateForms),
      fc.array(days, { minLength: 1, maxLength: 6 }),
      (form, all) => {
        const print = (one: string) => {
          const [yyyy = '', mm = '', dd = ''] = one.split('-')
          return form === 'iso'
            ? one
            : form.replace('yyyy', yyyy).replace('mm', mm).replace('dd', dd)
        }
        const mayBeOther = /^(?:dd[/-]mm|mm)/.test(form) && all.every((one) => one.slice(8) <= '12')
        const found = columnOf('due', all.map(print))
        if (found || !mayBeOther) assert.deepEqual(found, all, form)
      },
    ),
  )
})

test('days and times of a workbook are those of the calendar', () => {
  const time = fc.integer({ min: Date.UTC(1900, 2, 1), max: Date.UTC(9999, 11, 31) })
  fc.assert(
    fc.property(time, fc.boolean(), (milliseconds, isDay) => {
      const whole = isDay
        ? milliseconds - (((milliseconds % 86_400_000) + 86_400_000) % 86_400_000)
        : milliseconds
      const { text } = excelDay((whole / 86_400_000 + 25_569).toFixed(11), false)
      const [day, clock] = new Date(whole).toISOString().slice(0, -1).split('T')
      assert.equal(text, isDay || clock === '00:00:00.000' ? day : `${day} ${clock}`)
    }),
  )
})

test('times of clocks are the moments that writes take them for', () => {
  const time = fc.date({
    min: new Date('1890-01-01'),
    max: new Date('2100-01-01'),
    noInvalidDate: true,
  })
  const zones = fc.constantFrom(
    'UTC',
    'Europe/Zagreb',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Apia',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
  )
  fc.assert(
    fc.property(time, zones, (date, zone) => {
      const [day = '', clock = ''] = date.toISOString().slice(0, -1).split('T')
      assert.equal(localMoment(day, clock, zone), parseTimestamp(`${day} ${clock}`, zone))
    }),
    { numRuns: 500 },
  )
})
