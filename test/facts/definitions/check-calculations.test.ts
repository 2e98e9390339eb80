/** Formulas and rollups are checked: what they read exists and fits, and none is calculated from itself. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findingsOf } from '../../support/definitions/a-project.ts'

const order = (...fields: object[]) => ({
  'entities/order.json': {
    key: 'order',
    fields: [{ key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' }, ...fields],
  },
  'entities/line.json': {
    key: 'line',
    fields: [
      { key: 'order', type: 'manyToOne', entity: 'order' },
      { key: 'note', type: 'string' },
      { key: 'day', type: 'date' },
      { key: 'size', type: 'integer' },
      { key: 'amount', type: 'decimal', precision: 12, scale: 2 },
      { key: 'exact', type: 'decimal' },
    ],
  },
})

/** What is found at the third field of the order, after a number and a date. */
const findingOf = async (field: object): Promise<string | undefined> => {
  const found = await findingsOf(
    order(
      { key: 'size', type: 'integer' },
      { key: 'day', type: 'date' },
      { key: 'name', type: 'string' },
      { key: 'result', type: 'integer', ...field },
    ),
  )
  assert.ok(found.length <= 1, found.join('\n'))
  return found[0]?.replace(/^.*fields\[4\]\.?/, '')
}

describe('a formula that is refused', () => {
  const table: readonly [formula: string, message: string][] = [
    ['size +', 'a field, a number or "(" is expected, not the end, at character 7'],
    ['(size', '")" is expected, not the end, at character 6'],
    ['size size', '"size" is not expected here, at character 6'],
    ['size ; 1', '";" has no meaning in a formula, at character 6'],
    ['sise * 2', '"sise" is not a field of this entity; did you mean "size"?, at character 1'],
    ['name * 2', '"name" is a string, with which formulas do not calculate, at character 1'],
    ['lines * 2', '"lines" is not a field of this entity, at character 1'],
    ['id * 2', '"id" is not a field of this entity, at character 1'],
    ['result + 1', 'is calculated from itself: order.result from order.result'],
    ['day * 2', '"*" does not take a date and a whole number, at character 5'],
    ['day + 1.5', '"+" does not take a date and a number, at character 5'],
    ['day + 1', 'is a date, and the field is integer'],
    ['round(size, 1.5)', '"round" is written round(value) or round(value, digits), at character 1'],
    ['max(size, day)', '"max" is written max(value, value, …), at character 1'],
    ['rund(size)', '"rund" is not a function of formulas; did you mean "round"?, at character 1'],
    [
      'constructor(1)',
      '"constructor" is not a function of formulas; there are round, abs, min, max, coalesce, at character 1',
    ],
  ]
  for (const [formula, message] of table)
    test(formula, async () => assert.equal(await findingOf({ formula }), `formula ${message}`))

  test('with a thousand parentheses', async () => {
    const formula = `${'('.repeat(499)}size${')'.repeat(499)}`
    assert.match((await findingOf({ formula })) ?? '', /more than 1000 characters/)
    assert.equal(
      await findingOf({ formula: `${'('.repeat(490)}size${')'.repeat(490)}` }),
      undefined,
    )
  })
})

describe('a formula that is allowed', () => {
  for (const [formula, type] of [
    ['-size * -2 / (3 - size)', 'integer'],
    ['day - day + 2', 'bigint'],
    ['2 + day', 'date'],
    ['max(day, day - size)', 'date'],
    ['coalesce(size, 0) + abs(round(1.5))', 'decimal'],
  ])
    test(`${formula}`, async () => assert.equal(await findingOf({ formula, type }), undefined))
})

describe('a rollup that is refused', () => {
  const table: readonly [field: object, message: string][] = [
    [
      { rollup: { sum: 'line.size' } },
      'rollup "line" is not a one-to-many field of order; did you mean "lines"?',
    ],
    [{ rollup: { sum: 'lines' } }, 'rollup "sum" takes a field of line, such as "lines.size"'],
    [{ rollup: { sum: 'lines.note' } }, 'rollup "sum" takes a field of line, such as "lines.size"'],
    [
      { rollup: { sum: 'lines.order.size' } },
      'rollup "sum" takes a field of line, such as "lines.size"',
    ],
    [
      { rollup: { count: 'lines.size' } },
      'rollup "count" takes a one-to-many field, such as "lines"',
    ],
    [
      { rollup: { sum: 'lines.amount' } },
      'rollup is integer; the sum of a field of type decimal is decimal',
    ],
    [{ rollup: { max: 'lines.day' } }, 'rollup is integer, and "day" is date'],
    [
      { type: 'decimal', precision: 9, scale: 1, rollup: { sum: 'lines.amount' } },
      'rollup has 1 digits after the point, and "amount" has 2',
    ],
    [
      { type: 'decimal', precision: 9, scale: 1, rollup: { sum: 'lines.exact' } },
      'rollup has 1 digits after the point, and "exact" any number of them',
    ],
    [{ rollup: {} }, 'rollup must have one of "sum", "count", "min", "max"'],
    [
      { rollup: { sum: 'lines.size', count: 'lines' } },
      'rollup has "sum" and "count"; choose one of "sum", "count", "min", "max"',
    ],
    [{ rollup: { median: 'lines.size' } }, 'rollup.median is not a known property'],
    [{ type: 'date', rollup: { count: 'lines' } }, 'rollup is date; a count is integer or bigint'],
    [
      { formula: 'size', rollup: { sum: 'lines.size' } },
      'rollup cannot be combined with "formula"',
    ],
  ]
  for (const [field, message] of table)
    test(message, async () => assert.equal(await findingOf(field), message))
})

test('rules of entered values are refused at a calculated field', async () => {
  for (const rule of [{ required: true }, { unique: true }, { default: 1 }, { min: 1 }, { max: 1 }])
    assert.equal(
      await findingOf({ formula: 'size', ...rule }),
      `${Object.keys(rule)[0]} is for values that people enter; this one is calculated`,
    )
})

test('rollups and formulas that need each other are refused', async () => {
  const found = await findingsOf({
    'entities/node.json': {
      key: 'node',
      fields: [
        { key: 'parent', type: 'manyToOne', entity: 'node' },
        { key: 'children', type: 'oneToMany', entity: 'node', mappedBy: 'parent' },
        { key: 'own', type: 'integer' },
        { key: 'below', type: 'bigint', rollup: { sum: 'children.whole' } },
        { key: 'whole', type: 'bigint', formula: 'own + below' },
        { key: 'next', type: 'bigint', rollup: { sum: 'children.own' } },
      ],
    },
  })
  assert.deepEqual(
    found.map((line) => line.replace(/^.*(fields\[\d\])/, '$1')),
    [
      'fields[3].rollup is calculated from itself: node.below from node.whole from node.below',
      'fields[4].formula is calculated from itself: node.whole from node.below from node.whole',
    ],
  )
})

test('native entities have formulas of their own fields, but no rollups', async () => {
  const user = (field: object) =>
    findingsOf({
      'entities/user.json': {
        ...{ key: 'user', extends: 'native' },
        fields: [
          { key: 'limit', type: 'integer' },
          { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'buyer' },
          { key: 'result', type: 'integer', ...field },
        ],
      },
      'entities/order.json': {
        key: 'order',
        fields: [{ key: 'buyer', type: 'manyToOne', entity: 'user' }],
      },
    })
  assert.deepEqual(await user({ formula: 'limit * 2' }), [])
  assert.match(
    (await user({ rollup: { count: 'orders' } })).join(),
    /only for entities of the project; user is native/,
  )
})

test('forms of a workflow and unique indexes do not take a calculated field', async () => {
  const found = await findingsOf({
    'entities/item.json': {
      key: 'item',
      fields: [
        { key: 'a', type: 'integer' },
        { key: 'b', type: 'integer', formula: 'a' },
      ],
      indexes: [{ fields: ['b'], unique: true }],
      workflow: {
        initialStep: 'one',
        steps: [
          { key: 'one', actions: [{ key: 'go', kind: 'proceedToStep', to: 'two', form: 'f' }] },
          { key: 'two', final: true },
        ],
        forms: [{ key: 'f', fields: ['b'] }],
      },
    },
  })
  assert.deepEqual(
    found.map((line) => line.replace(/^\S+ /, '')),
    [
      'indexes[0].fields[0] "b" is calculated, so it cannot be unique',
      'workflow.forms[0].fields[0] "b" is not a field of item that can be set; did you mean "a"?',
    ],
  )
})
