/** Moments are compared with whole days and minutes: what a condition of the console means, and how it is read back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field } from '../../../console/api/types.ts'
import { isTimed, withoutSpan, withSpan } from '../../../console/features/condition/spans.ts'
import { type Operator, parseFilter, printFilter } from '../../../console/features/filter/filter.ts'

const field = { key: 'at', column: 'at', type: 'timestamp', name: 'At' } as unknown as Field
const zone = 'Europe/Berlin'
const day = '2026-11-25T23:00:00.000Z'
const [first, last] = [day, '2026-11-26T22:59:59.999Z']
const minute = '2026-11-26T09:30:00.000Z'
const endOfMinute = '2026-11-26T09:30:59.999Z'
const within = { at: { $gte: first, $lte: last } }

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
    const sent = printFilter(withSpan(rule, field, zone))
    assert.deepEqual(sent, where)
    const [read] = parseFilter(sent)?.items ?? []
    assert.ok(read?.kind === 'rule')
    assert.deepEqual(withoutSpan(read, field, zone), rule)
    assert.equal(isTimed(field, typed, zone), !typed.endsWith(':00:00.000Z'))
  })

test('other values and other pairs of limits stay what they are', () => {
  for (const value of ['2026-11-26', '', null, { $field: 'other' }, 'now']) {
    const rule = { kind: 'rule', path: 'at', operator: '$lte', value } as const
    assert.deepEqual(withSpan(rule, field, zone), rule)
  }
  for (const where of [
    { at: { $gte: first, $lte: '2026-11-28T22:59:59.999Z' } },
    { at: { $gte: first, $lt: last } },
    { day: { $gte: '2026-11-26', $lte: '2026-11-26' } },
  ])
    assert.equal(parseFilter(where)?.items.length, 2)
})
