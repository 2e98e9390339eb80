/** Days and moments as people type them, in the languages of the console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { localTextOf } from '../../../console/features/values/local-text.ts'
import { printLocal, readLocal } from '../../../console/features/values/temporal-text.ts'

const today = '2026-11-26'
const locales = 'en en-GB en-US en-CA en-AU de de-AT de-CH fr hr hr-BA'.split(' ')

const days: readonly (readonly [locale: string, typed: string, day: string | undefined])[] = [
  ['en-GB', '4/5/26', '2026-05-04'],
  ['en-US', '4/5/26', '2026-04-05'],
  ['de', '4.5.26', '2026-05-04'],
  ['de', '04.05.2026', '2026-05-04'],
  ['fr', '4/5/26', '2026-05-04'],
  ['fr', '4 févr. 2026', '2026-02-04'],
  ['fr', '1er août 2026', '2026-08-01'],
  ['fr', 'aujourd’hui', '2026-11-26'],
  ['fr', "aujourd'hui", '2026-11-26'],
  ['hr', '4. 5. 2026.', '2026-05-04'],
  ['en-GB', '4 May', '2026-05-04'],
  ['en-GB', '4 sept 2027', '2027-09-04'],
  ['en-US', 'May 4, 2026', '2026-05-04'],
  ['de', '4. März 2026', '2026-03-04'],
  ['hr', '4. svibnja 2026.', '2026-05-04'],
  ['hr', '4. svi 2026.', '2026-05-04'],
  ['en-GB', '2026-05-04', '2026-05-04'],
  ['de', '040526', '2026-05-04'],
  ['en-US', '05042026', '2026-05-04'],
  ['en-GB', '4/5', '2026-05-04'],
  ['en-GB', 'today', '2026-11-26'],
  ['de', 'Morgen', '2026-11-27'],
  ['hr', 'jučer', '2026-11-25'],
  ['en-GB', '1/1/46', '2046-01-01'],
  ['en-GB', '1/1/47', '1947-01-01'],
  ['en-GB', '1/1/0012', '0012-01-01'],
  ['en-GB', '29/2/2028', '2028-02-29'],
  ['en-GB', '29/2/2027', undefined],
  ['en-GB', '31/4/2026', undefined],
  ['en-GB', '5/13/2026', undefined],
  ['en-US', '13/5/2026', undefined],
  ['en-GB', '4', undefined],
  ['en-GB', '2026 May 4', '2026-05-04'],
  ['en-GB', '4 5 May 2026', undefined],
  ['fr', '4 fév 2026', '2026-02-04'],
  ['de', '4. fe 2026', undefined],
  ['de', '040526.26', undefined],
  ['en-GB', 'ju 4', undefined],
  ['en-GB', '4 May 2026 or later', undefined],
  ['en-GB', '0/0/0', undefined],
  ['en-GB', '9'.repeat(100_000), undefined],
]

const moments: readonly (readonly [locale: string, typed: string, moment: string | undefined])[] = [
  ['en-GB', '4/5/26 10:30', '2026-05-04T10:30:00.000'],
  ['en-US', 'May 4, 2026, 10:30 PM', '2026-05-04T22:30:00.000'],
  ['en-US', '5/4/26 12am', '2026-05-04T00:00:00.000'],
  ['en-GB', '2026-05-04T10:30:15.25', '2026-05-04T10:30:15.250'],
  ['de', '04.05.2026, 10:30:15', '2026-05-04T10:30:15.000'],
  ['hr', '4. svi 2026. 10:30', '2026-05-04T10:30:00.000'],
  ['de', 'heute 9:05', '2026-11-26T09:05:00.000'],
  ['en-GB', '4 May 2026', '2026-05-04T00:00:00.000'],
  ['en-GB', '4 May 2026 24:00', undefined],
  ['en-GB', '4 May 2026 10', undefined],
  ['en-GB', '4 May 2026 10:60', undefined],
  ['en-US', '5/4/26 13pm', undefined],
  ['en-GB', '10:30', undefined],
]

test('days and moments are read as people of a language type them', () => {
  for (const [locale, typed, day] of days)
    assert.equal(readLocal(typed, locale, false, today), day, `${typed.slice(0, 30)} in ${locale}`)
  for (const [locale, typed, moment] of moments)
    assert.equal(readLocal(typed, locale, true, today), moment, `${typed} in ${locale}`)
})

test('what an input shows is read back as it was, in every language', () => {
  const times = fc.integer({
    min: Date.parse('0001-01-01T00:00Z'),
    max: Date.parse('9999-12-31T23:59:59.999Z'),
  })
  fc.assert(
    fc.property(times, fc.constantFrom(...locales), fc.boolean(), (time, locale, hasTime) => {
      const local = localTextOf(time, hasTime)
      assert.equal(readLocal(printLocal(local, locale, hasTime), locale, hasTime, today), local)
    }),
    { numRuns: 200 },
  )
})

test('any text is a day or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...locales), (text, locale) => {
      const day = readLocal(text, locale, false, today)
      assert.ok(day === undefined || /^\d{4}-\d\d-\d\d$/.test(day))
    }),
    { numRuns: 200 },
  )
})
