/** Formulas and rollups are checked: what they read exists and fits, and none is calculated from itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOf } from '../../support/definitions/a-project.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'

const order = (...fields: object[]) => ({
  ...entityFile('order', [
    { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
    ...fields,
  ]),
  ...entityFile('line', [
    { key: 'order', type: 'manyToOne', entity: 'order' },
    { key: 'note', type: 'string' },
    { key: 'day', type: 'date' },
    { key: 'size', type: 'integer' },
    { key: 'amount', type: 'decimal', precision: 12, scale: 2 },
    { key: 'exact', type: 'decimal' },
  ]),
})

/** What is found at each field of the order, after a number, a date and a text. */
const findingsAt = async (fields: readonly object[]): Promise<string[]> => {
  const found = await findingsOf(
    order(
      { key: 'size', type: 'integer' },
      { key: 'day', type: 'date' },
      { key: 'name', type: 'string' },
      ...fields.map((field, at) => ({ key: `result_${at}`, type: 'integer', ...field })),
    ),
  )
  return found.map((line) => line.replace(/^.*fields\[(\d+)\]\.?/, (_, at) => `${at - 4} `))
}

test('formulas calculate with numbers and days, in operators and functions that exist', async () => {
  const valid = [
    ['-size * -2 / (3 - size)', 'integer'],
    ['day - day + 2', 'bigint'],
    ['2 + day', 'date'],
    ['max(day, day - size)', 'date'],
    ['coalesce(size, 0) + abs(round(1.5))', 'decimal'],
    [`${'('.repeat(490)}size${')'.repeat(490)}`, 'integer'],
  ].map(([formula, type]) => ({ formula, type }))
  assert.deepEqual(await findingsAt(valid), [])
  const invalid: readonly [formula: string, message: string][] = [
    ['size +', 'a field, a number or "(" is expected, not the end, at character 7'],
    ['(size', '")" is expected, not the end, at character 6'],
    ['size size', '"size" is not expected here, at character 6'],
    ['size ; 1', '";" has no meaning in a formula, at character 6'],
    ['sise * 2', '"sise" is not a field of this entity; did you mean "size"?, at character 1'],
    ['name * 2', '"name" is a string, with which formulas do not calculate, at character 1'],
    ['lines * 2', '"lines" is not a field of this entity, at character 1'],
    ['id * 2', '"id" is not a field of this entity, at character 1'],
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
  assert.deepEqual(
    await findingsAt(invalid.map(([formula]) => ({ formula }))),
    invalid.map(([, message], at) => `${at} formula ${message}`),
  )
  const long = `${'('.repeat(499)}size${')'.repeat(499)}`
  assert.match((await findingsAt([{ formula: long }])).join(), /more than 1000 characters/)
  assert.deepEqual(await findingsAt([{ formula: 'result_0 + 1' }]), [
    '0 formula is calculated from itself: order.result_0 from order.result_0',
  ])
})

test('a rollup takes a field of a one-to-many, which its function and its own type fit', async () => {
  const short = { type: 'decimal', precision: 9, scale: 1 }
  const rollups = [
    ...['line.size', 'lines', 'lines.note', 'lines.order.size'].map((sum) => ({ sum })),
    ...[{ count: 'lines.size' }, { sum: 'lines.amount' }, { max: 'lines.day' }],
  ].map((rollup) => ({ rollup }))
  assert.deepEqual(
    await findingsAt([
      ...rollups,
      ...['lines.amount', 'lines.exact'].map((sum) => ({ ...short, rollup: { sum } })),
      { type: 'date', rollup: { count: 'lines' } },
      { formula: 'size', rollup: { sum: 'lines.size' } },
    ]),
    [
      '0 rollup "line" is not a one-to-many field of order; did you mean "lines"?',
      '1 rollup "sum" takes a field of line, such as "lines.size"',
      '2 rollup "sum" takes a field of line, such as "lines.size"',
      '3 rollup "sum" takes a field of line, such as "lines.size"',
      '4 rollup "count" takes a one-to-many field, such as "lines"',
      '5 rollup is integer; the sum of a field of type decimal is decimal',
      '6 rollup is integer, and "day" is date',
      '7 rollup has 1 digits after the point, and "amount" has 2',
      '8 rollup has 1 digits after the point, and "exact" any number of them',
      '9 rollup is date; a count is integer or bigint',
      '10 rollup cannot be combined with "formula"',
    ],
  )
  const shapes = [{}, { sum: 'lines.size', count: 'lines' }, { median: 'lines.size' }]
  assert.deepEqual(await findingsAt(shapes.map((rollup) => ({ rollup }))), [
    '0 rollup must have one of "sum", "count", "min", "max"',
    '1 rollup has "sum" and "count"; choose one of "sum", "count", "min", "max"',
    '2 rollup.median is not a known property',
    '2 rollup must have one of "sum", "count", "min", "max"',
  ])
})

test('rules of entered values are refused at a calculated field', async () => {
  const rules = [{ required: true }, { unique: true }, { default: 1 }, { min: 1 }, { max: 1 }]
  assert.deepEqual(
    await findingsAt(rules.map((rule) => ({ formula: 'size', ...rule }))),
    ['required', 'unique', 'default', 'min', 'max'].map(
      (rule, at) => `${at} ${rule} is for values that people enter; this one is calculated`,
    ),
  )
})

test('rollups and formulas that need each other are refused', async () => {
  const found = await findingsOf({
    ...entityFile('node', [
      { key: 'parent', type: 'manyToOne', entity: 'node' },
      { key: 'children', type: 'oneToMany', entity: 'node', mappedBy: 'parent' },
      { key: 'own', type: 'integer' },
      { key: 'below', type: 'bigint', rollup: { sum: 'children.whole' } },
      { key: 'whole', type: 'bigint', formula: 'own + below' },
      { key: 'next', type: 'bigint', rollup: { sum: 'children.own' } },
    ]),
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
      ...entityFile('user', { extends: 'native' }, [
        { key: 'limit', type: 'integer' },
        { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'buyer' },
        { key: 'result', type: 'integer', ...field },
      ]),
      ...entityFile('order', [{ key: 'buyer', type: 'manyToOne', entity: 'user' }]),
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
      workflow: workflowOf(
        { one: [{ key: 'go', kind: 'proceedToStep', to: 'two', form: 'f' }], two: [] },
        { forms: [{ key: 'f', fields: ['b'] }] },
      ),
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
