/** SQL of plans: the exact text and the bound values. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, join, raw, toLiteralText, toStatement } from '../../../src/database/sql.ts'
import { compileScope } from '../../../src/query/compile-scope.ts'
import { columnExpression, compileCount, compileSelect } from '../../../src/query/compile-select.ts'
import type { SelectPlan } from '../../../src/query/select-plan.ts'
import { planOf } from '../../support/query/a-catalog.ts'

const listOf = ({ columns }: SelectPlan) =>
  join(
    columns.map(({ ref }) => raw(columnExpression(ref))),
    ', ',
  )
const compiled = (plan: SelectPlan) => toStatement(compileSelect(plan, listOf(plan)))

const head = 'SELECT t."id" FROM "records"."item" t'
const notRemoved = 'NOT t."_is_deleted"'
const tail = ' ORDER BY t."id"'

const zone = 'Europe/Zagreb'
/** The moment with which a day begins; the zone has this number. */
const begins = (day: string, at: number) => {
  const instant = "interval '1 microsecond'"
  return `((${day}::timestamp - ${instant}) AT TIME ZONE $${at}::text + ${instant})`
}

// What each operator finds: service/query/operators.
const conditions: readonly [where: object, text: string, values: unknown[]][] = [
  [{}, 'true', []],
  [{ code: 'a' }, 't."code" = $1::text', ['a']],
  [{ code: null }, 't."code" IS NULL', []],
  [{ code: { $ne: 'a' } }, 't."code" IS DISTINCT FROM $1::text', ['a']],
  [{ amount: { $lt: '1.50' } }, 't."amount" < $1::numeric', ['1.50']],
  [{ at: '2026-05-04 10:30:00' }, 't."at" = $1::timestamptz', ['2026-05-04T08:30:00.000Z']],
  [{ maker: 5 }, 't."maker_id" = $1::integer', [5]],
  [{ count: [] }, 't."count" = ANY ($1::integer[])', [[]]],
  [{ count: [1, null] }, '(t."count" = ANY ($1::integer[]) OR t."count" IS NULL)', [[1]]],
  [{ code: { $nin: ['a'] } }, '(t."code" = ANY ($1::text[])) IS NOT TRUE', [['a']]],
  [{ code: { $ilike: 'a%' } }, 't."code" ILIKE $1::text', ['a%']],
  [{ code: { $startsWith: '50%_\\' } }, 'starts_with(t."code", $1::text)', ['50%_\\']],
  [{ code: { $contains: '%' } }, 'strpos(t."code", $1::text) > 0', ['%']],
  [
    { code: 'a', count: { $gt: 1, $lt: 9 } },
    '(t."code" = $1::text AND t."count" > $2::integer AND t."count" < $3::integer)',
    ['a', 1, 9],
  ],
  [
    { $or: [{ code: 'a' }, { $and: [{ code: 'b' }] }] },
    '(t."code" = $1::text OR (t."code" = $2::text))',
    ['a', 'b'],
  ],
  [{ $not: { code: 'a' } }, '(t."code" = $1::text) IS NOT TRUE', ['a']],
  // What moves is left to the clock of the statement, so that SQL which is kept does not keep the day.
  [
    { day: { $lt: { $today: -30 } } },
    't."day" < ((now() AT TIME ZONE $1::text)::date + $2::integer)',
    [zone, -30],
  ],
  [
    { day: [null, '2026-05-04', { $today: 0 }] },
    '(t."day" = ANY ($1::date[]) OR t."day" IS NULL OR t."day" = ((now() AT TIME ZONE $2::text)::date + $3::integer))',
    [['2026-05-04'], zone, 0],
  ],
  [{ at: { $gt: { $now: '-2 hours' } } }, 't."at" > (now() + $1::interval)', ['-2 hours']],
  [
    { at: { $gt: { $startOf: 'quarter', $offset: -1 } } },
    `t."at" >= ${begins(`((date_trunc('quarter', (now() AT TIME ZONE $1::text)) + $2::interval)::date + 1)`, 3)}`,
    [zone, '-3 months', zone],
  ],
  [
    { at: '2026-05-04' },
    `((t."at" >= ${begins('$1::date', 2)} AND t."at" < ${begins('($3::date + 1)', 4)}))`,
    ['2026-05-04', zone, '2026-05-04', zone],
  ],
  [
    { parts: { $some: { code: 'a' } } },
    'EXISTS (\n    SELECT FROM "records"."item" t_s1\n    WHERE t_s1."parent_id" = t."id"\n      AND (NOT t_s1._is_deleted AND t_s1."code" = $1::text)\n  )',
    ['a'],
  ],
  [
    { parts: { $none: { _is_deleted: true, 'maker.name': 'b' } } },
    'NOT EXISTS (\n    SELECT FROM "records"."item" t_s1 LEFT JOIN "records"."maker" t_s1j1 ON t_s1j1."id" = t_s1."maker_id"\n    WHERE t_s1."parent_id" = t."id"\n      AND ((t_s1."_is_deleted" = $1::boolean AND t_s1j1."name" = $2::text))\n  )',
    [true, 'b'],
  ],
]
test('each condition compiles to its SQL', () => {
  for (const [where, text, values] of conditions)
    assert.deepEqual(compiled(planOf({ $where: where }, { columns: ['id'] })), {
      text: `${head} WHERE ${notRemoved} AND ${text}${tail}`,
      values,
    })
})

const maker = ' LEFT JOIN "records"."maker" j1 ON j1."id" = t."maker_id"'
const country = ' LEFT JOIN "records"."country" j2 ON j2."id" = j1."country_id"'
const page = { limit: 10, offset: 20 }

const selects: readonly [name: string, plan: SelectPlan, text: string, values: unknown[]][] = [
  ['all records', planOf({}, { columns: ['id'] }), `${head} WHERE ${notRemoved}${tail}`, []],
  [
    'removed records too',
    planOf({ $where: { _is_deleted: [true, false] } }, { columns: ['id'] }),
    `${head} WHERE t."_is_deleted" = ANY ($1::boolean[])${tail}`,
    [[true, false]],
  ],
  [
    'an order',
    planOf({ $orderBy: ['-amount', 'code'] }, { columns: ['id'] }),
    `${head} WHERE ${notRemoved} ORDER BY t."amount" DESC, t."code", t."id"`,
    [],
  ],
  [
    'a path in the selected columns',
    planOf({}, { columns: ['maker.country.code'] }),
    `SELECT j2."code" FROM "records"."item" t${maker}${country} WHERE ${notRemoved}${tail}`,
    [],
  ],
  [
    'a page that is cut before the joins that only the columns need',
    planOf({}, { columns: ['maker.name'], page }),
    `SELECT j1."name" FROM (SELECT t.* FROM "records"."item" t WHERE ${notRemoved}${tail} LIMIT $1::bigint OFFSET $2::bigint) t${maker}${tail}`,
    [10, 20],
  ],
  [
    'a page that is cut after the joins that the order needs',
    planOf({ $orderBy: ['maker.name'] }, { columns: ['id'], page: { limit: 5, offset: 0 } }),
    `${head}${maker} WHERE ${notRemoved} ORDER BY j1."name", t."id" LIMIT $1::bigint`,
    [5],
  ],
  [
    'own records',
    planOf({ $where: { code: 'a' } }, { columns: ['id'], scope: { ownedBy: int(7) } }),
    `${head} WHERE ${notRemoved} AND (t."_created_by" = $1::integer OR t."_owned_by" = $2::integer) AND t."code" = $3::text${tail}`,
    [7, 7, 'a'],
  ],
  [
    'no records',
    planOf({}, { columns: ['id'], scope: 'none' }),
    `${head} WHERE ${notRemoved} AND false${tail}`,
    [],
  ],
  [
    'joined records in their own scope',
    planOf(
      {},
      {
        columns: ['maker.country.code'],
        access: { readScope: ({ key }) => (key === 'maker' ? { ownedBy: int(7) } : 'none') },
      },
    ),
    `SELECT j2."code" FROM "records"."item" t${maker} AND (j1."_created_by" = $1::integer OR j1."_owned_by" = $2::integer)${country} AND false WHERE ${notRemoved}${tail}`,
    [7, 7],
  ],
]
for (const [name, plan, text, values] of selects)
  test(`the plan of ${name} compiles to its SQL`, () => {
    assert.deepEqual(compiled(plan), { text, values })
  })

test('PostgreSQL plans the records of at most four lists together with the query', () => {
  const lists = Array.from({ length: 6 }, () => ({ parts: { $some: { parts: { $none: {} } } } }))
  const { text } = compiled(planOf({ $where: { $or: lists } }, { columns: ['id'] }))
  assert.equal(text.match(/EXISTS/g)?.length, 12)
  assert.equal(text.match(/ OFFSET 0\n/g)?.length, 8)
})

test('a count joins only what its conditions need and has neither order nor page', () => {
  const body = { $where: { 'maker.name': 'a' }, $orderBy: ['code'] }
  const plan = planOf(body, { columns: ['parent.code'], page })
  assert.deepEqual(toStatement(compileCount(plan)), {
    text: `SELECT count(*) AS total FROM "records"."item" t${maker} WHERE ${notRemoved} AND j1."name" = $1::text`,
    values: ['a'],
  })
})

test('the scope of an entity without ownership compares the creator only', () => {
  assert.deepEqual(toStatement(compileScope({ ownedBy: int(7) }, false, 't')), {
    text: 't."_created_by" = $1::integer',
    values: [7],
  })
})

test('toLiteralText quotes values with their types, for statements that take no parameters', () => {
  const where = { code: "a'\\b", count: [1, 2], flag: true, amount: { $gt: '1.50' } }
  const plan = planOf({ $where: where }, { columns: ['id'] })
  assert.equal(
    toLiteralText(compileSelect(plan, listOf(plan))),
    `${head} WHERE ${notRemoved} AND (t."code" =  E'a''\\\\b'::text AND t."count" = ANY (ARRAY['1','2']::integer[]) AND t."flag" = 'true'::boolean AND t."amount" > '1.50'::numeric)${tail}`,
  )
})
