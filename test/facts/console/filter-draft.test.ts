/** The form of a filter shows every filter that a search takes, and changes nothing that nobody touched. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { draftOf, whereOf } from '../../../console/features/filter/filter-draft.ts'

const paths = ['number', 'total', 'customer.name', 'customer.country.code', 'terms', '_step']
const scalar = fc.oneof(
  ...[fc.string(), fc.boolean(), fc.integer(), fc.constant('12345678901234567890.50')],
)
const otherField = fc.record({ $field: fc.constantFrom(...paths) })
const operand = fc.oneof(
  ...['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$like', '$ilike', '$startsWith'].map((name) =>
    fc.record({ [name]: scalar }),
  ),
  ...['$in', '$nin'].map((name) => fc.record({ [name]: fc.array(fc.option(scalar)) })),
  fc.record({ $null: fc.boolean() }),
  fc.record({ $contains: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), scalar) }),
  fc.record({ $gte: scalar, $lt: scalar }),
  ...['$eq', '$lt'].map((name) => fc.record({ [name]: otherField })),
  ...[otherField, scalar, fc.constant(null), fc.array(scalar)],
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
      if (typeof value !== 'object' || '$field' in value) return [key, '$eq', value]
      return join(
        'and',
        Object.entries(value).map(([name, given]) => [key, name, given]),
      )
    }),
  )

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
})
