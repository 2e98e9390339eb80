/** A field of a table that has records becomes a series: they are numbered in their order, and numbers that exist stay. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raiseSeries } from '../../../src/database/series.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import { assertRejected, database, define, insert, rows, shareSchema, sync } from './a-schema.ts'

shareSchema()

const series = (format: string, more: object = {}) =>
  ({
    key: 'number',
    type: 'string',
    unique: true,
    required: true,
    series: { format, ...more },
  }) as const
const numbers = async () =>
  (await rows('SELECT number FROM records.item ORDER BY id')).map((row) => row.number)
const next = async () =>
  (
    await rows(
      `SELECT s.prefix, docket.peek_number(s.next, s.sequence)::integer AS next FROM docket.series s ORDER BY 1`,
    )
  ).map((row) => `${row.prefix}${row.next}`)

test('records are numbered in the order in which they were created, by their years, also those removed', async () => {
  await define(anItem({ key: 'name', type: 'string' }))
  await insert(`(_created_at, _is_deleted) VALUES
    ('2026-12-31 22:30Z', false), ('2026-12-31 23:30Z', false), ('2026-01-01 00:00Z', true), ('2027-05-04 00:00Z', false)`)
  const definitions = [anItem(series('R{YYYY}-{00}', { start: 5 }))]
  const { statements } = await sync({ definitions, timeZone: 'Europe/Zagreb' })
  assert.ok(statements.some((one) => one.startsWith('DO ')))
  assert.deepEqual(await numbers(), ['R2026-06', 'R2027-05', 'R2026-05', 'R2027-06'])
  assert.deepEqual(await next(), ['R2026-7', 'R2027-7'])
  await assert.rejects(insert('(number) VALUES (NULL)'), { code: '23502' })
  await assert.rejects(insert(`(number) VALUES ('R2026-05')`), { code: '23505' })
  assert.deepEqual((await sync({ definitions, timeZone: 'Europe/Zagreb' })).statements, [])
})

test('numbers that exist stay, whatever their form, and those that are given come after the largest', async () => {
  await define(anItem({ key: 'number', type: 'string', unique: true }))
  await insert(`(number) VALUES ('I-7'), (NULL), ('old'), ('I-0012'), (NULL)`)
  await define(anItem(series('I-{000}')))
  assert.deepEqual(await numbers(), ['I-7', 'I-013', 'old', 'I-0012', 'I-014'])
  assert.deepEqual(await next(), ['I-15'])
  // Another number of zeros is no other counter; another text is one.
  await define(anItem(series('I-{0}')))
  await insert(`(number) VALUES ('X-3')`)
  await define(anItem(series('X-{0}')))
  assert.deepEqual(await next(), ['I-15', 'X-4'])
})

test('counters change to sequences and back, and a raised one is never lowered', async () => {
  const item = anItem(series('S{0}', { gapFree: false }))
  await define(anItem(series('S{0}')))
  await insert(`(number) VALUES ('S4')`)
  const raise = () => raiseSeries(database.pool, getEntity(aCatalog(item), 'item'))
  await raise()
  const take = async (isGapFree: boolean) =>
    (
      await rows(
        `SELECT docket.next_number('item', 'number', 'S', '', 1, 1, ${isGapFree}) AS number`,
      )
    )[0].number
  assert.equal(await take(true), 'S5')
  await define(item)
  assert.deepEqual([await take(false), await take(false)], ['S6', 'S7'])
  await raise()
  assert.equal(await take(false), 'S8')
  await insert(`(number) VALUES ('S20')`)
  await raise()
  assert.equal(await take(false), 'S21')
  await define(anItem(series('S{0}')))
  assert.equal(await take(true), 'S22')
})

test('a series follows the names of its field and its entity', async () => {
  await define(anItem(series('S{0}')))
  await rows(`SELECT docket.next_number('item', 'number', 'S', '', 1, 1, true)`)
  const code = { ...series('S{0}'), key: 'code', was: 'number' }
  await define({ key: 'thing', was: 'item', fields: [code] })
  const [row] = await rows(
    'SELECT entity_key, column_name, next::integer AS next FROM docket.series',
  )
  assert.deepEqual(row, { entity_key: 'thing', column_name: 'code', next: 2 })
})

test('a number that a removed record has, too, is in the way', async () => {
  await define(anItem({ key: 'number', type: 'string', unique: true }))
  await insert(`(number, _is_deleted) VALUES ('I-1', true), ('I-1', false)`)
  await assertRejected(
    { definitions: [anItem(series('I-{0}'))] },
    'number of item is unique now, but 1 value occurs more than once, for example "I-1" in the records 1 and 2',
  )
})

test('a field that is no series any more is entered again', async () => {
  await define(anItem(series('I-{0}')))
  await insert(`(number) VALUES ('I-1')`)
  await define(anItem({ key: 'number', type: 'string', unique: true }))
  await rows('UPDATE records.item SET _is_deleted = true')
  await insert(`(number) VALUES ('I-1')`)
  assert.deepEqual(await numbers(), ['I-1', 'I-1'])
})
