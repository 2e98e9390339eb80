/** The property `was`: its shape, and earlier keys that are invalid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOfEntities, load } from '../../support/definitions/a-project.ts'

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

const level = (...values: unknown[]) => ({ fields: [{ key: 'level', type: 'enum', values }] })
const texts = (...fields: object[]) => ({ fields: fields.map((one) => ({ type: 'text', ...one })) })
const renamedStep = {
  initialStep: 'a',
  steps: [
    { key: 'a', actions: [{ key: 'go', kind: 'proceedToStep', to: 'b' }] },
    { key: 'b', was: 'a', final: true },
  ],
}

test('an earlier key is not in use now, and belongs to one thing alone', async () => {
  const entities = {
    of_every_object: level('constructor', '__proto__', { value: 'toString', was: 'valueOf' }),
    entity_in_use: { was: 'user' },
    entity_that_follows: { was: 'entity_in_use' },
    wrong_type: { was: 1 },
    value_with_more: level({ value: 'a', wass: 'b' }),
    no_value: level({ was: 'b' }),
    value_of_number: level(1),
    value_twice: level('a', { value: 'a', was: 'b' }),
    value_in_use: level('a', { value: 'b', was: 'a' }),
    values_swapped: level({ value: 'a', was: 'b' }, { value: 'b', was: 'a' }),
    field_in_use: texts({ key: 'a' }, { key: 'b', was: 'a' }),
    field_that_follows: texts({ key: 'b', was: 'a' }, { key: 'c', was: 'b' }),
    own_key: texts({ key: 'a', was: 'a' }),
    same_key: texts({ key: 'a', was: 'c' }, { key: 'b', was: ['d', 'c'] }),
    step_in_use: { workflow: renamedStep },
  }
  assert.deepEqual(await findingsOfEntities(entities), [
    'entity_in_use: was "user" is a native entity now; remove it here: an entity of that key is renamed with the version of Docket that made its table',
    'entity_that_follows: was "entity_in_use" is an entity now, and was "user": rename in two deployments, first "entity_in_use" to "entity_that_follows" in addition to "user", then "user" to "entity_in_use", without this "was"',
    'field_in_use: fields[1].was "a" is a field now; remove it here, or rename that one',
    'field_that_follows: fields[1].was "b" is a field now, and was "a": rename in two deployments, first "b" to "c" in addition to "a", then "a" to "b", without this "was"',
    'no_value: fields[0].values[0] lacks the property "value"',
    'own_key: fields[0].was "a" is its own key',
    'same_key: fields[1].was "c" is what "a" was; only one of them can have it',
    'step_in_use: workflow.steps[1].was "a" is a step now; remove it here, or rename that one',
    'value_in_use: fields[0].values[1].was "a" is a value now; remove it here, or rename that one',
    'value_of_number: fields[0].values[0] must be a string or an object',
    'value_twice: fields[0].values[1] "a" is given twice',
    'value_with_more: fields[0].values[0].wass is not a known property; did you mean "was"?',
    'values_swapped: fields[0].values[0].was "b" is a value now, and was "a": to swap them, rename in three deployments, "b" to another key, then "a" to "b", then that other key to "a", each time without the "was" of the one before',
    'values_swapped: fields[0].values[1].was "a" is a value now, and was "b": to swap them, rename in three deployments, "a" to another key, then "b" to "a", then that other key to "b", each time without the "was" of the one before',
    'wrong_type: was must be a string or an array',
  ])
})
