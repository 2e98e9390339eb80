/** SQL as a value: slots nest, and a statement is printed with its parameters. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allOf,
  anyOf,
  bound,
  int,
  ints,
  isSql,
  join,
  json,
  notDeleted,
  nothing,
  ref,
  type Sql,
  sql,
  table,
  text,
  texts,
  timestamp,
  toLiteralText,
  toStatement,
  where,
  withInPlaceOf,
} from '../../../src/database/sql.ts'

const printed: readonly (readonly [Sql, string, readonly unknown[]])[] = [
  [sql`SELECT 1`, 'SELECT 1', []],
  [sql`${int(1)}`, '$1::integer', [1]],
  [sql`a = ${int(1)} AND b = ${text('x')}`, 'a = $1::integer AND b = $2::text', [1, 'x']],
  [sql`${sql`(${int(1)}`}, ${sql`${int(2)})`}`, '($1::integer, $2::integer)', [1, 2]],
  [sql`id = ANY (${ints([1, 2])})`, 'id = ANY ($1::integer[])', ['{1,2}']],
  [json({ a: 1 }), '$1::json', ['{"a":1}']],
  [json(undefined), '$1::json', [null]],
  [timestamp(new Date(0)), '$1::timestamptz', ['1970-01-01T00:00:00.000Z']],
  [bound('5', 'numeric'), '$1::numeric', ['5']],
  [sql`SELECT FROM ${table('order')} t`, 'SELECT FROM "records"."order" t', []],
  [ref('a"b', 't'), 't."a""b"', []],
  [notDeleted('t'), 'NOT t._is_deleted', []],
  [join([int(1), nothing, int(2)], ', '), '$1::integer, , $2::integer', [1, 2]],
  [sql`x${where([])}`, 'x', []],
  [sql`x${where([sql`a`, sql`b = ${int(1)}`])}`, 'x WHERE a AND b = $1::integer', [1]],
  [allOf([]), 'true', []],
  [anyOf([]), 'false', []],
  [anyOf([sql`a`, sql`b`]), '(a OR b)', []],
]
test('a statement is printed with its parameters', () => {
  for (const [statement, expected, values] of printed)
    assert.deepEqual(toStatement(statement), { text: expected, values })
})

test('a value is replaced in each of its places, and others that are equal are not', () => {
  const user = int(null)
  const statement = sql`a = ${user} AND b = ${int(null)} AND c = ${sql`(${user})`} AND d = ${text('x')}`
  const printedWith = (value: Sql) => toStatement(withInPlaceOf(statement, user, value))
  assert.deepEqual(printedWith(int(7)), {
    text: 'a = $1::integer AND b = $2::integer AND c = ($3::integer) AND d = $4::text',
    values: [7, null, 7, 'x'],
  })
  assert.deepEqual(printedWith(sql`u.id`), {
    text: 'a = u.id AND b = $1::integer AND c = (u.id) AND d = $2::text',
    values: [null, 'x'],
  })
})

test('literals are quoted and cast', () => {
  const statement = sql`f(${text("it's")}, ${ints([1, 2])}, ${texts(["it's", null])}, ${int(null)})`
  assert.equal(
    toLiteralText(statement),
    `f('it''s'::text, '{1,2}'::integer[], ARRAY['it''s',NULL]::text[], NULL::integer)`,
  )
})

test('a value of a request is never treated as SQL', () => {
  assert.ok(isSql(sql`a`))
  for (const value of ['parts', { parts: { before: 1, after: 2 } }, {}]) assert.ok(!isSql(value))
})
