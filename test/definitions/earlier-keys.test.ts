/** `was`: its shape, and earlier keys that cannot be meant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, load } from './a-project.ts'

test('words of an enum are read as plain words, with the earlier ones beside them', async () => {
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

test('a word may be called as what every object has', async () => {
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
    'a word with an unknown property',
    level({ value: 'a', wass: 'b' }),
    'fields[0].values[0].wass is not a known property; did you mean "was"?',
  ],
  ['a word without a value', level({ was: 'b' }), 'fields[0].values[0] lacks the property "value"'],
  ['a word that is a number', level(1), 'fields[0].values[0] must be a string or an object'],
  [
    'a word that stands twice',
    level('a', { value: 'a', was: 'b' }),
    'fields[0].values[1] "a" is given twice',
  ],
  [
    'an earlier word in use',
    level('a', { value: 'b', was: 'a' }),
    'fields[0].values[1].was "a" is a value now; remove it here, or rename that one',
  ],
  ['an earlier key of a wrong type', { was: 1 }, 'was must be a string or an array'],
  [
    'an earlier field in use',
    {
      fields: [
        { key: 'a', type: 'text' },
        { key: 'b', type: 'text', was: 'a' },
      ],
    },
    'fields[1].was "a" is a field now; remove it here, or rename that one',
  ],
  [
    'a field that was itself',
    { fields: [{ key: 'a', type: 'text', was: 'a' }] },
    'fields[0].was "a" is its own key',
  ],
  [
    'two that were the same',
    {
      fields: [
        { key: 'a', type: 'text', was: 'c' },
        { key: 'b', type: 'text', was: ['d', 'c'] },
      ],
    },
    'fields[1].was "c" is what "a" was; only one of them can have it',
  ],
  [
    'an earlier entity in use',
    { was: 'user' },
    'was "user" is an entity now; remove it here, or rename that one',
  ],
  [
    'an earlier step in use',
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
for (const [fact, order, ...errors] of rows)
  test(`${fact} is a fault`, async () => {
    assert.deepEqual(await errorsOfOrder(order), errors)
  })
