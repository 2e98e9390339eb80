/** The choices of a link follow what else a form holds, as the validations of the entity say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entity, Field } from '../../../console/api/types.ts'
import { choiceCondition } from '../../../console/features/values/choice-condition.ts'

const link = (key: string) => ({ key, type: 'manyToOne', column: `${key}_id` }) as Field
const flat = link('flat')
const day = { key: 'starts_on', type: 'date', column: 'starts_on' } as Field

const rows: readonly [condition: object | null, values: object, wanted: object | undefined][] = [
  [{ 'flat.building': { $field: 'building' } }, { building_id: 3 }, { building: 3 }],
  [{ 'flat.building': { $field: 'building' } }, { building_id: null }, undefined],
  [{ 'flat.is_let': false }, {}, { is_let: false }],
  [
    { 'flat.free_from': { $lte: { $field: 'starts_on' } } },
    { starts_on: '2026-05-01' },
    { free_from: { $lte: '2026-05-01' } },
  ],
  [
    { 'flat.building': { $field: 'building' }, starts_on: { $ne: null } },
    { building_id: 3 },
    undefined,
  ],
  [{ $or: [{ 'flat.is_let': false }, { building: null }] }, {}, undefined],
  [null, {}, undefined],
]
for (const [condition, values, wanted] of rows)
  test(`${JSON.stringify(condition)} with ${JSON.stringify(values)}`, () => {
    const entity = { fields: [link('building'), flat, day], validations: [{ condition }] }
    const found = choiceCondition(
      entity as unknown as Entity,
      flat,
      (column) => Object.entries(values).find(([name]) => name === column)?.[1],
    )
    assert.deepEqual(found, wanted && { $and: [wanted] })
  })
