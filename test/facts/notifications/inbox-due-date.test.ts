/** Relative times in the preferred language of the caller. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLanguage, relativeTime } from '../../../src/inbox/relative-time.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const noon = Date.parse('2026-11-23T12:00:00Z')
const words = (ms: number, language: string) =>
  relativeTime(noon + ms, noon, { language, timeZone: 'UTC' })

const distances: readonly [ms: number, text: string][] = [
  [day, 'in 1 day'],
  [-2 * hour, '2 hours ago'],
  [-200, '0 seconds ago'],
  [59 * second, 'in 59 seconds'],
  [60 * second, 'in 1 minute'],
  [59 * minute + 40 * second, 'in 1 hour'],
  [90 * minute, 'in 2 hours'],
  // One second less than a day is rounded to a day.
  [day - second, 'in 1 day'],
  [-25 * hour, '1 day ago'],
  [29 * day, 'in 29 days'],
  [31 * day, 'in 1 month'],
  [-330 * day, '11 months ago'],
  [364 * day, 'in 1 year'],
  [3653 * day, 'in 10 years'],
]
test('a difference is said in its largest unit, in the language', () => {
  for (const [ms, text] of distances) assert.equal(words(ms, 'en'), text, String(ms))
  assert.equal(words(day, 'de'), 'in 1 Tag')
  assert.equal(words(-2 * hour, 'hr'), 'prije 2 sata')
})

// Days begin at midnight in Zagreb, at 23:00 UTC.
const days: readonly [at: string, now: string, text: string][] = [
  ['2026-11-07T23:00:00Z', '2026-11-23T15:00:00Z', '15 days ago'],
  ['2026-11-07T23:00:00Z', '2026-11-23T22:59:59Z', '15 days ago'],
  ['2026-11-07T23:00:00Z', '2026-11-23T23:00:00Z', '16 days ago'],
  ['2026-11-29T23:00:00Z', '2026-11-23T15:00:00Z', 'in 7 days'],
  ['2026-11-29T23:00:00Z', '2026-11-22T23:00:00Z', 'in 7 days'],
  ['2026-11-25T22:59:00Z', '2026-11-23T15:00:00Z', 'in 2 days'],
  ['2026-11-23T22:58:00Z', '2026-11-22T23:01:00Z', 'in 1 day'],
]
test('days are those of the calendar', () => {
  const wording = { language: 'en', timeZone: 'Europe/Zagreb' }
  for (const [at, now, text] of days)
    assert.equal(relativeTime(Date.parse(at), Date.parse(now), wording), text, `${at} at ${now}`)
})

const headers: readonly [header: string | undefined, language: string][] = [
  [undefined, 'de'],
  ['', 'de'],
  ['*', 'de'],
  ['FR-ca', 'fr-CA'],
  ['hr-HR, en;q=0.8', 'hr-HR'],
  ['en ; q = 0.5 , fr ; q=0.9', 'fr'],
  ['en;q=0, fr;q=0.1', 'fr'],
  ['en;q=0', 'de'],
  ['xx, tlh, en;q=0.1', 'en'],
  ['en;q=x, fr;q=0.2', 'fr'],
  ['i-klingon, ;;;, q=1, en-, -, 中文, fr', 'fr'],
  ['ar-u-nu-thai', 'ar'],
  [`${'fr-'.repeat(1000)}`, 'de'],
  [`${','.repeat(100_000)}fr`, 'de'],
  ['constructor, __proto__', 'de'],
]
test('Accept-Language selects the language, or else the project does, or else it is English', () => {
  for (const [header, language] of headers)
    assert.equal(readLanguage(header, 'de'), language, String(header).slice(0, 60))
  assert.equal(readLanguage(undefined, 'xx'), 'en')
})

test('any number of different language tags is supported', () => {
  for (let index = 0; index < 300; index++)
    assert.equal(words(day, readLanguage(`de-DE-x-${index}, de`, 'en')), 'in 1 Tag')
})
