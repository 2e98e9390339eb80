/** Properties of all criteria: $not selects the exact complement, and literals select what parameters select. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { textIssue } from '../../../src/definitions/values/check-text.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createItems, idsOf, idsWithLiterals, insert } from './items.ts'

let database: TestDatabase

// Texts that break incorrect quoting, LIKE patterns and array literals.
const difficultTexts = [
  ...['', "'", '"', '\\', "\\'", "'';--", '%', '_', '{}', '{a,"b"}', 'NULL', '$1', '$$', 'a\nb'],
  ...["E'\\x41'", 'ž', '\u{1F98A}'],
]
const all = difficultTexts.map((_, index) => index + 1).concat(difficultTexts.length + 1)

before(async () => {
  database = await createItems()
  await insert(database, 'maker', [{ name: "'" }, { name: null }])
  await insert(database, 'item', [
    ...difficultTexts.map((code, index) => ({
      code,
      count: index % 3 === 0 ? null : index % 5,
      flag: index % 4 === 0 ? null : index % 2 === 0,
      maker_id: index % 3 === 1 ? null : (index % 2) + 1,
    })),
    { code: null },
  ])
})
after(() => database.drop())

const piece = fc.constantFrom(...difficultTexts, 'a')
const text = fc
  .oneof(
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'grapheme' }),
    piece,
  )
  .filter((value) => textIssue(value) === undefined)
const pattern = text.filter((value) => (/\\*$/.exec(value)?.[0].length ?? 0) % 2 === 0)
const field = fc.constantFrom('code', 'maker.name')
const comparison = fc.oneof(
  text,
  fc.constant(null),
  fc.array(fc.option(text), { maxLength: 5 }),
  fc.record({ $ne: text }),
  fc.record({ $gt: text, $lte: text }, { requiredKeys: ['$gt'] }),
  fc.record({ $nin: fc.array(fc.option(text), { maxLength: 5 }) }),
  fc.record({ $like: pattern }),
  fc.record({ $ilike: pattern }),
  fc.record({ $startsWith: text }),
  fc.record({ $contains: text }),
  fc.record({ $null: fc.boolean() }),
)
const leaf: fc.Arbitrary<object> = fc.oneof(
  fc.tuple(field, comparison).map(([name, value]) => ({ [name]: value })),
  fc.record({ count: fc.option(fc.integer({ min: 0, max: 5 })) }),
  fc.record({ flag: fc.option(fc.boolean()) }),
)
const { where } = fc.letrec<{ where: object }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record({ $not: tie('where') }),
    fc.record({ $or: fc.array(tie('where'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ $and: fc.array(tie('where'), { minLength: 1, maxLength: 3 }) }),
  ),
}))

test('every record matches either a condition or its $not, never both', async () => {
  await fc.assert(
    fc.asyncProperty(where, async (condition) => {
      const [matching, others] = await Promise.all([
        idsOf(database, { $where: condition }),
        idsOf(database, { $where: { $not: condition } }),
      ])
      assert.deepEqual(
        [...matching, ...others].toSorted((a, b) => a - b),
        all,
      )
    }),
    { numRuns: 300 },
  )
})

test('literals select the same records as bound parameters', async () => {
  await fc.assert(
    fc.asyncProperty(where, async (condition) => {
      const body = { $where: condition }
      assert.deepEqual(await idsWithLiterals(database, body), await idsOf(database, body))
    }),
    { numRuns: 300 },
  )
})

test('every difficult text is found by an equal value, as parameter and as literal', async () => {
  for (const [index, code] of difficultTexts.entries()) {
    assert.deepEqual(await idsOf(database, { $where: { code } }), [index + 1])
    assert.deepEqual(await idsWithLiterals(database, { $where: { code: [code] } }), [index + 1])
  }
})
