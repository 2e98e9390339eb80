/** Conditions of the console: its comparisons are those of the service, its form changes nothing, and moments are whole days and minutes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Entity, Field } from '../../../console/api/types.ts'
import {
  type ClockBase,
  clockValue,
  enteredOf,
} from '../../../console/features/filter/clock-values.ts'
import { comparisonOf, faultOf, ruleOf } from '../../../console/features/filter/comparisons.ts'
import {
  conditionOfPeriod,
  type FilterRule,
  parseFilter,
  printFilter,
  withoutItem,
  withRule,
} from '../../../console/features/filter/filter.ts'
import { draftOf, whereOf } from '../../../console/features/filter/filter-draft.ts'
import { isTimed, withoutSpan, withSpan } from '../../../console/features/filter/spans.ts'
import { comparisonsOf, periodNames } from '../../../console/features/format/field-kinds.ts'
import { choiceCondition } from '../../../console/features/values/choice-condition.ts'
import { type FieldDefinition, fieldTypeOf } from '../../../src/definitions/field-types.ts'
import { namesMovingTime } from '../../../src/definitions/values/rules/moving-time-names.ts'
import type { Operator } from '../../../src/definitions/values/rules/operators.ts'
import { operators } from '../../../src/query/criteria/operators.ts'

const fields: readonly FieldDefinition[] = [
  { key: 'a', type: 'string' },
  { key: 'a', type: 'text' },
  { key: 'a', type: 'email' },
  { key: 'a', type: 'url' },
  { key: 'a', type: 'integer' },
  { key: 'a', type: 'bigint' },
  { key: 'a', type: 'decimal', precision: 10, scale: 2 },
  { key: 'a', type: 'boolean' },
  { key: 'a', type: 'date' },
  { key: 'a', type: 'timestamp' },
  { key: 'a', type: 'enum', values: ['b'] },
  { key: 'a', type: 'json' },
  { key: 'a', type: 'manyToOne', entity: 'b' },
]

test('no comparison is offered that the service rejects for a field', () => {
  for (const field of fields) {
    const { comparison } = fieldTypeOf(field)
    const accepted = Object.entries(operators).flatMap(([name, { fits }]) =>
      (fits as readonly string[]).includes(comparison) ? [name] : [],
    )
    const known = { column: 'a', isSystem: false, isCalculated: false }
    const offered = comparisonsOf({ ...field, ...known } as Field)
    assert.ok(offered.length > 0)
    const sent = offered.map((one) => ruleOf('a', one, 'b').operator)
    assert.deepEqual(
      sent.filter((name) => !accepted.includes(name)),
      [],
    )
  }
})

test('a text is found as it is typed, whatever it holds', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[%_\\a]{1,6}$/))
  fc.assert(
    fc.property(fc.constantFrom('has', 'begins', 'ends'), text, (comparison, value) => {
      fc.pre(value !== '')
      assert.deepEqual(comparisonOf(ruleOf('a', comparison, value)), { comparison, value })
    }),
  )
})

test('a pattern that says more stays a pattern', () => {
  for (const value of ['%a_b%', 'a%b', 'a', '%\\', '_'])
    assert.equal(
      comparisonOf({ kind: 'rule', path: 'a', operator: '$ilike', value }).comparison,
      '$ilike',
    )
  assert.equal(ruleOf('a', 'has', '50%').value, '%50\\%%')
})

const paths = ['number', 'total', 'customer.name', 'customer.country.code', 'terms', '_step']
const scalar = fc.oneof(
  ...[fc.string(), fc.boolean(), fc.integer(), fc.constant('12345678901234567890.50')],
)
const otherField = fc.record({ $field: fc.constantFrom(...paths) })
const ofClock = fc.constantFrom<object>(
  { $today: -3 },
  { $now: '-2 hours' },
  { $startOf: 'month', $offset: -1 },
)
const operand = fc.oneof(
  ...['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$like', '$ilike', '$startsWith'].map((name) =>
    fc.record({ [name]: scalar }),
  ),
  ...['$in', '$nin'].map((name) => fc.record({ [name]: fc.array(fc.option(scalar)) })),
  fc.record({ $null: fc.boolean() }),
  fc.record({ $contains: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), scalar) }),
  fc.record({ $gte: scalar, $lt: scalar }),
  ...['$eq', '$lt'].map((name) => fc.record({ [name]: otherField })),
  ...['$eq', '$lt', '$gte'].map((name) => fc.record({ [name]: ofClock })),
  fc.constantFrom(...periodNames).map(conditionOfPeriod),
  ...[otherField, ofClock, scalar, fc.constant(null), fc.array(fc.oneof(scalar, ofClock))],
)

const { where } = fc.letrec<{ where: Record<string, unknown> }>((tie) => {
  const rules = fc.dictionary(fc.constantFrom(...paths), operand, { minKeys: 1, maxKeys: 3 })
  const list = fc.array(tie('where'), { maxLength: 3 })
  return {
    where: fc.oneof(
      { maxDepth: 5 },
      rules,
      fc.record({ $or: list }),
      fc.record({ $and: list }),
      fc.record({ $not: tie('where') }),
      fc.record({ lines: fc.record({ $some: tie('where'), $none: tie('where') }) }),
      fc.record({ 'customer.orders': fc.record({ $none: tie('where') }) }),
      fc.tuple(rules, list, tie('where')).map(([own, $or, $not]) => ({ ...own, $or, $not })),
    ),
  }
})

type Tree = readonly unknown[]

const join = (name: string, items: readonly Tree[]): Tree => {
  const flat = items.flatMap((item) => (item[0] === name ? item.slice(1) : [item]))
  return flat.length === 1 && Array.isArray(flat[0]) ? flat[0] : [name, ...flat]
}

/** What a condition means, however it is written. */
const meaningOf = (condition: object): Tree =>
  join(
    'and',
    Object.entries(condition).map(([key, value]): Tree => {
      if (key === '$and') return join('and', value.map(meaningOf))
      if (key === '$or') return join('or', value.map(meaningOf))
      if (key === '$not') return ['not', meaningOf(value)]
      if (value === null) return [key, '$null', true]
      if (Array.isArray(value)) return [key, '$in', value]
      const isValue = typeof value !== 'object' || '$field' in value || namesMovingTime(value)
      if (isValue) return [key, '$eq', value]
      return join(
        'and',
        Object.entries(value).map(([name, given]) => [
          key,
          name,
          name === '$some' || name === '$none' ? meaningOf(given as object) : given,
        ]),
      )
    }),
  )

test('a period around today is one condition with a name, and others of the clock are an amount of units', () => {
  const ruleIn = (compared: object) => parseFilter({ due: compared })?.items
  for (const name of periodNames) {
    const rule = { kind: 'rule', path: 'due', operator: '$eq', value: { period: name } } as const
    assert.deepEqual(ruleIn(conditionOfPeriod(name)), [rule])
    assert.deepEqual(comparisonOf(rule), { comparison: name, value: undefined })
    assert.deepEqual(ruleOf('due', name, undefined), rule)
  }
  assert.deepEqual(ruleIn({ $today: 0 }), ruleIn({ $eq: { $today: 0 } }))
  assert.deepEqual(ruleIn({ $lt: { $startOf: 'week', $offset: 1 }, $gte: { $startOf: 'week' } }), [
    ruleOf('due', 'thisWeek', undefined),
  ])
  const values = [
    { $today: -30 },
    { $now: '-2 hours' },
    { $now: '+1 years' },
    { $startOf: 'quarter', $offset: -1 },
    { $startOf: 'week' },
  ]
  for (const value of values) assert.deepEqual(clockValue(enteredOf(value)), value)
  assert.deepEqual(enteredOf({ $now: '1 hour' }), { base: 'hours', amount: '1' })
  assert.deepEqual(enteredOf({ $now: 0 }), { base: 'minutes', amount: '0' })
})

test('an amount that was entered is a whole number within limits', () => {
  const field = { key: 'due', type: 'date' } as Field
  const faultAt = (base: ClockBase, amount: string) =>
    faultOf(clockValue({ base, amount }), field, 'value')
  assert.equal(faultAt('today', '−3'), undefined)
  assert.equal(faultAt('hours', '+3'), undefined)
  assert.equal(faultAt('today', ''), 'missing')
  assert.equal(faultAt('hours', ' '), 'missing')
  assert.equal(faultAt('week', '1.5'), 'whole')
  assert.equal(faultAt('days', 'some'), 'whole')
  assert.equal(faultAt('today', '36526'), 'range')
  assert.equal(faultAt('years', '-101'), 'range')
})

test('a thousand filters come out of the form as they went in', () => {
  fc.assert(
    fc.property(where, (condition) => {
      const printed = whereOf(draftOf(condition)) ?? {}
      assert.deepEqual(meaningOf(printed), meaningOf(condition))
    }),
    { numRuns: 300, seed: 20261122 },
  )
})

test('without a condition there is no filter', () => {
  assert.equal(whereOf(draftOf(undefined)), undefined)
  assert.equal(whereOf(draftOf({})), undefined)
  // Nothing but a negation matches nothing.
  assert.deepEqual(whereOf({ ...draftOf({}), isNegated: true }), { $not: {} })
})

test('a condition of which a part cannot be read is not read without it', () => {
  assert.equal(parseFilter({ total: { $gt: 1, $near: 5 } }), undefined)
  assert.equal(parseFilter({ lines: { $some: { a: 1 }, $all: { a: 1 } } }), undefined)
})

const link = (key: string) => ({ key, type: 'manyToOne', column: `${key}_id` }) as Field
const flat = link('flat')
const startsOn = { key: 'starts_on', type: 'date', column: 'starts_on' } as Field

const rows: readonly [condition: object | null, values: object, wanted: object | undefined][] = [
  [{ 'flat.building': { $field: 'building' } }, { building_id: 3 }, { building: 3 }],
  [{ 'flat.building': { $field: 'building' } }, { building_id: null }, undefined],
  [{ 'flat.is_let': false }, {}, { is_let: false }],
  [
    { 'flat.free_from': { $lte: { $field: 'starts_on' } } },
    { starts_on: '2026-05-01' },
    { free_from: { $lte: '2026-05-01' } },
  ],
  // The service reads its clock when the choices are asked for.
  [{ 'flat.free_from': { $lte: { $today: 0 } } }, {}, { free_from: { $lte: { $today: 0 } } }],
  [
    { 'flat.building': { $field: 'building' }, starts_on: { $ne: null } },
    { building_id: 3 },
    undefined,
  ],
  [{ $or: [{ 'flat.is_let': false }, { building: null }] }, {}, undefined],
  [null, {}, undefined],
]
test('the choices of a link follow what else a form holds, as the validations say', () => {
  for (const [condition, values, wanted] of rows) {
    const entity = { fields: [link('building'), flat, startsOn], validations: [{ condition }] }
    const valueAt = (column: string) =>
      Object.entries(values).find(([name]) => name === column)?.[1]
    const found = choiceCondition(entity as unknown as Entity, flat, valueAt)
    assert.deepEqual(found, wanted && { $and: [wanted] })
  }
})

const moment = { key: 'at', column: 'at', type: 'timestamp', name: 'At' } as unknown as Field
const zone = 'Europe/Berlin'
const day = '2026-11-25T23:00:00.000Z'
const [first, last] = [day, '2026-11-26T22:59:59.999Z']
const minute = '2026-11-26T09:30:00.000Z'
const endOfMinute = '2026-11-26T09:30:59.999Z'
const within = { at: { $gte: first, $lte: last } }

test('what is not outside of a day is within it', () => {
  const outside = { $not: within }
  assert.deepEqual(parseFilter(outside)?.items, [
    { kind: 'rule', path: 'at', operator: '$ne', value: { first, last } },
  ])
  assert.deepEqual(whereOf(draftOf({ $not: outside })), { $not: outside })
})

for (const [typed, operator, where] of [
  [day, '$eq', within],
  [day, '$ne', { $not: within }],
  [day, '$gt', { at: { $gt: last } }],
  [day, '$gte', { at: { $gte: first } }],
  [day, '$lt', { at: { $lt: first } }],
  [day, '$lte', { at: { $lte: last } }],
  [minute, '$eq', { at: { $gte: minute, $lte: endOfMinute } }],
  [minute, '$gt', { at: { $gt: endOfMinute } }],
  [minute, '$lte', { at: { $lte: endOfMinute } }],
  ['2026-11-26T09:30:15.000Z', '$lte', { at: { $lte: '2026-11-26T09:30:15.999Z' } }],
  ['2026-11-26T09:30:15.123Z', '$eq', { at: { $eq: '2026-11-26T09:30:15.123Z' } }],
  // Days on which clocks change have 25 and 23 hours.
  ['2026-10-24T22:00:00.000Z', '$lte', { at: { $lte: '2026-10-25T22:59:59.999Z' } }],
  [
    '2026-03-28T23:00:00.000Z',
    '$eq',
    { at: { $gte: '2026-03-28T23:00:00.000Z', $lte: '2026-03-29T21:59:59.999Z' } },
  ],
] as const satisfies readonly (readonly [string, Operator, object])[])
  test(`${operator} ${typed} means ${JSON.stringify(where)}, and is read as it was typed`, () => {
    const rule = { kind: 'rule', path: 'at', operator, value: typed } as const
    const sent = printFilter(withSpan(rule, moment, zone))
    assert.deepEqual(sent, where)
    const [read] = parseFilter(sent)?.items ?? []
    assert.ok(read?.kind === 'rule')
    assert.deepEqual(withoutSpan(read, moment, zone), rule)
    assert.equal(isTimed(moment, typed, zone), !typed.endsWith(':00:00.000Z'))
  })

test('other values and other pairs of limits stay what they are', () => {
  for (const value of ['2026-11-26', '', null, { $field: 'other' }, 'now']) {
    const rule = { kind: 'rule', path: 'at', operator: '$lte', value } as const
    assert.deepEqual(withSpan(rule, moment, zone), rule)
  }
  for (const where of [
    { at: { $gte: first, $lte: '2026-11-28T22:59:59.999Z' } },
    { at: { $gte: first, $lt: last } },
    { day: { $gte: '2026-11-26', $lte: '2026-11-26' } },
  ])
    assert.equal(parseFilter(where)?.items.length, 2)
})

const isTwo: FilterRule = { kind: 'rule', path: 'a', operator: '$eq', value: 2 }
const [one, two, other] = [{ a: { $eq: 1 } }, { a: { $eq: 2 } }, { b: { $eq: 1 } }]

for (const [where, at, wanted] of [
  [undefined, undefined, two],
  [other, undefined, { ...other, ...two }],
  // Two conditions of one field are both kept.
  [one, undefined, { $and: [one, two] }],
  [{ a: 2, b: 1 }, undefined, { ...two, ...other }],
  [{ $and: [{ a: 2 }, { b: 1 }] }, undefined, { ...two, ...other }],
  // It is not true of all records of which one or the other is.
  [{ $or: [two, other] }, undefined, { $or: [two, other], ...two }],
  [{ $near: 5 }, undefined, { $and: [{ $near: 5 }, two] }],
  [{ a: 1, b: 1 }, 0, { ...two, ...other }],
  [{ a: 2, b: 1 }, 1, two],
] as const)
  test(`${JSON.stringify(where)} with another condition ${at === undefined ? '' : `in place ${at} `}is ${JSON.stringify(wanted)}`, () => {
    assert.deepEqual(withRule(where, isTwo, at), wanted)
  })

test('a filter without its only condition is none, and what cannot be read goes as a whole', () => {
  assert.deepEqual(withoutItem({ a: 1, b: 1 }, 0), other)
  assert.equal(withoutItem({ a: 1 }, 0), undefined)
  assert.equal(withoutItem({ $near: 5 }, 0), undefined)
})

test('what no search takes is no filter', () => {
  for (const where of [{ $or: 1 }, { $or: [1] }, { $not: 1 }, { $not: { $near: 1 } }, { a: {} }])
    assert.equal(parseFilter(where), undefined, JSON.stringify(where))
})

const readings: readonly [type: string, right: readonly unknown[], wrong: object][] = [
  ['integer', [0, -2_147_483_648, '2147483647'], { '2147483648': 'range', '1.5': 'whole' }],
  ['manyToOne', [7], { '-2147483649': 'range', Adria: 'whole' }],
  ['bigint', ['-9223372036854775808'], { '1e3': 'whole', '1,250': 'whole' }],
  ['decimal', ['1', '-1.50'], { '1.': 'number', '.5': 'number', '1,5': 'number' }],
  ['date', ['2026-05-04', '12026-05-04'], { '4.5.2026': 'day', '2026-05-04T10:00': 'day' }],
  ['timestamp', ['2026-05-04', '2026-05-04T10:00Z'], { '2026-05': 'moment', now: 'moment' }],
  ['boolean', [true, false, 'true'], { yes: 'choice', '1': 'choice' }],
  ['enum', ['open'], { Open: 'choice', paid: 'choice' }],
  ['string', ['%', '0'], { ' ': 'missing', '': 'missing' }],
]
for (const [type, right, wrong] of readings)
  test(`of the values of a condition on ${type} those are refused that cannot be read`, () => {
    const field = { key: 'a', column: 'a', type, values: ['open'] } as unknown as Field
    for (const value of right) {
      assert.equal(faultOf(value, field, 'value'), undefined, String(value))
      assert.equal(faultOf([null, value], field, 'list'), undefined, String(value))
    }
    for (const [value, fault] of Object.entries(wrong)) {
      assert.equal(faultOf(value, field, 'value'), fault, value)
      assert.equal(faultOf([...right, value], field, 'list'), fault, value)
    }
    for (const nothing of [undefined, null, ''])
      assert.equal(faultOf(nothing, field, 'value'), 'missing')
    assert.equal(faultOf([], field, 'list'), 'missing')
    assert.equal(faultOf(undefined, field, 'nothing'), undefined)
    assert.equal(faultOf('any text', field, 'text'), undefined)
  })
