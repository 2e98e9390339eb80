/** What the values of rows are in code; a type that code would be told wrongly fails its query. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { queryOnce } from '../../../src/database/pool.ts'
import { raw } from '../../../src/database/sql.ts'
import { createTestDatabase } from '../../support/database.ts'

const database = await createTestDatabase()
after(() => database.drop())

const read = async (expression: string): Promise<unknown> => {
  const [row] = await queryOnce<{ value: unknown }>(
    database.pool,
    raw(`SELECT ${expression} AS value`),
  )
  return row?.value
}

const values: readonly (readonly [expression: string, value: unknown])[] = [
  ['true', true],
  ['7::smallint', 7],
  ['7', 7],
  ['9007199254740991', 9_007_199_254_740_991],
  ['1.5::float8', 1.5],
  ['0.10::numeric', '0.10'],
  ["'a'::name", 'a'],
  ["'2026-01-31'::date", '2026-01-31'],
  [`'{"a": 1}'::json`, '{"a": 1}'],
  ["ARRAY['a,b', NULL, '{c}']", ['a,b', null, '{c}']],
  ['ARRAY[]::text[]', []],
  ['ARRAY[1, -2, NULL]', [1, -2, null]],
  ['ARRAY[]::integer[]', []],
  ['NULL::interval', null],
]
test('values of rows are those of JavaScript, exact and without a type of the driver', async () => {
  for (const [expression, value] of values)
    assert.deepEqual(await read(expression), value, expression)
})

test('a type that code would read as nothing is refused', async () => {
  for (const expression of [
    "interval '1 day'",
    'int4range(1, 2)',
    "'\\x00'::bytea",
    'ARRAY[1.5]',
    'ARRAY[true]',
    "ARRAY['{}'::json]",
    'ROW(1, 2)',
    "'pg_class'::regclass",
    "'<a/>'::xml",
  ]) {
    await assert.rejects(read(expression), /which code reads as nothing; cast it/, expression)
    assert.equal(await read('1'), 1)
  }
})

test('a list of lists is refused', async () => {
  await assert.rejects(read('ARRAY[ARRAY[1, 2], ARRAY[3, 4]]'), /is not exact in JavaScript/)
})

test('a number that JavaScript does not have is refused, and exact as text', async () => {
  for (const number of ['9007199254740993', '-9223372036854775808']) {
    await assert.rejects(read(`(${number})::bigint`), /is not exact in JavaScript/)
    assert.equal(await read(`(${number})::bigint::text`), number)
  }
})
