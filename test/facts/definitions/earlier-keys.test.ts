/** The property `was`: its shape, and earlier keys that are invalid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, load } from '../../support/definitions/a-project.ts'

test('enum values with "was" are loaded as plain values and earlierValues', async () => {
  const { project } = await load({
    'entities/order.json': {
      key: 'order',
      was: ['purchase', 'buy'],
      fields: [
        { key: 'name', was: 'title', type: 'string' },
        {
          key: 'level',
          type: 'enum',
          values: [
            'low',
            { value: 'usual', was: 'normal' },
            { value: 'high', was: ['urgent', 'hot'] },
          ],
        },
      ],
      workflow: { initialStep: 'new', steps: [{ key: 'new', was: 'draft', final: true }] },
    },
  })
  const [, level] = project?.catalog.entities.get('order')?.definition.fields ?? []
  assert.deepEqual(level, {
    key: 'level',
    type: 'enum',
    values: ['low', 'usual', 'high'],
    earlierValues: { usual: ['normal'], high: ['urgent', 'hot'] },
  })
})

test('enum values may have names of properties that every object has', async () => {
  const { project, findings } = await load({
    'entities/order.json': {
      key: 'order',
      ...level('constructor', '__proto__', { value: 'toString', was: 'valueOf' }),
    },
  })
  assert.deepEqual(findings, [])
  assert.ok(project)
})

const level = (...values: unknown[]) => ({ fields: [{ key: 'level', type: 'enum', values }] })
const rows: readonly [fact: string, order: object, ...errors: string[]][] = [
  [
    'an enum value with an unknown property',
    level({ value: 'a', wass: 'b' }),
    'fields[0].values[0].wass is not a known property; did you mean "was"?',
  ],
  [
    'an enum value without "value"',
    level({ was: 'b' }),
    'fields[0].values[0] lacks the property "value"',
  ],
  ['an enum value that is a number', level(1), 'fields[0].values[0] must be a string or an object'],
  [
    'a duplicate enum value',
    level('a', { value: 'a', was: 'b' }),
    'fields[0].values[1] "a" is given twice',
  ],
  [
    'an earlier enum value that is in use',
    level('a', { value: 'b', was: 'a' }),
    'fields[0].values[1].was "a" is a value now; remove it here, or rename that one',
  ],
  ['a "was" of an invalid type', { was: 1 }, 'was must be a string or an array'],
  [
    'an earlier field key that is in use',
    {
      fields: [
        { key: 'a', type: 'text' },
        { key: 'b', type: 'text', was: 'a' },
      ],
    },
    'fields[1].was "a" is a field now; remove it here, or rename that one',
  ],
  [
    'a field that follows another renamed one',
    {
      fields: [
        { key: 'b', type: 'text', was: 'a' },
        { key: 'c', type: 'text', was: 'b' },
      ],
    },
    'fields[1].was "b" is a field now, and was "a": rename in two deployments, first "b" to "c" beside "a", then "a" to "b", without this "was"',
  ],
  [
    'a swap of two enum values',
    level({ value: 'a', was: 'b' }, { value: 'b', was: 'a' }),
    ...['b', 'a'].map(
      (was, at) =>
        `fields[0].values[${at}].was "${was}" is a value now, and was "${at === 0 ? 'a' : 'b'}": to swap them, rename in three deployments, "${was}" to another key, then "${at === 0 ? 'a' : 'b'}" to "${was}", then that other key to "${at === 0 ? 'a' : 'b'}", each time without the "was" of the one before`,
    ),
  ],
  [
    'a field whose earlier key is its own key',
    { fields: [{ key: 'a', type: 'text', was: 'a' }] },
    'fields[0].was "a" is its own key',
  ],
  [
    'two fields with the same earlier key',
    {
      fields: [
        { key: 'a', type: 'text', was: 'c' },
        { key: 'b', type: 'text', was: ['d', 'c'] },
      ],
    },
    'fields[1].was "c" is what "a" was; only one of them can have it',
  ],
  [
    'an earlier entity key that is in use',
    { was: 'user' },
    'was "user" is an entity now; remove it here, or rename that one',
  ],
  [
    'an earlier step key that is in use',
    {
      workflow: {
        initialStep: 'a',
        steps: [
          { key: 'a', actions: [{ key: 'go', kind: 'proceedToStep', to: 'b' }] },
          { key: 'b', was: 'a', final: true },
        ],
      },
    },
    'workflow.steps[1].was "a" is a step now; remove it here, or rename that one',
  ],
]
test('an entity that follows another renamed one says the same', async () => {
  const { findings } = await load({
    'entities/b.json': { key: 'b', was: 'a', fields: [] },
    'entities/c.json': { key: 'c', was: 'b', fields: [] },
  })
  assert.deepEqual(
    findings.map(({ file, message }) => [file, message]),
    [
      [
        'entities/c.json',
        '"b" is an entity now, and was "a": rename in two deployments, first "b" to "c" beside "a", then "a" to "b", without this "was"',
      ],
    ],
  )
})

for (const [fact, order, ...errors] of rows)
  test(`${fact} is an error`, async () => {
    assert.deepEqual(await errorsOfOrder(order), errors)
  })
