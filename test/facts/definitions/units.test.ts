/** The units of numbers in an entity definition. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder } from '../../support/definitions/a-project.ts'

const others = {
  'entities/currency.json': {
    key: 'currency',
    fields: [
      { key: 'code', type: 'string' },
      { key: 'digits', type: 'integer' },
    ],
  },
}
const fields = [
  { key: 'currency', type: 'manyToOne', entity: 'currency' },
  { key: 'kind', type: 'enum', values: ['kg', 'piece'] },
  { key: 'note', type: 'text' },
]

const units: readonly [field: object, issue: string | undefined][] = [
  [{ type: 'decimal', unit: 'EUR' }, undefined],
  [{ type: 'integer', unit: 'h' }, undefined],
  [{ type: 'bigint', unit: { field: 'kind' } }, undefined],
  [{ type: 'decimal', unit: { field: 'currency.code' } }, undefined],
  [
    { type: 'decimal', unit: { field: 'currency.cod' } },
    '.field "cod" is not a field of currency; did you mean "code"?',
  ],
  [
    { type: 'decimal', unit: { field: 'curency.code' } },
    '.field "curency" is not an association of order; did you mean "currency"?',
  ],
  [
    { type: 'decimal', unit: { field: 'currency.digits' } },
    '.field "currency.digits" is not a string or an enum, so it cannot name a unit',
  ],
  [
    { type: 'decimal', unit: { field: 'note' } },
    '.field "note" is not a string or an enum, so it cannot name a unit',
  ],
  [
    { type: 'decimal', unit: 'k\tg' },
    ' contains a tab or a line break at position 1; use a single line',
  ],
]
for (const [field, issue] of units)
  test(`the number ${JSON.stringify(field)} ${issue ?? 'is valid'}`, async () => {
    const found = await errorsOfOrder({ fields: [...fields, { key: 'total', ...field }] }, others)
    assert.deepEqual(found, issue === undefined ? [] : [`fields[3].unit${issue}`])
  })

test('what is no number has no unit', async () => {
  const [found = ''] = await errorsOfOrder({ fields: [{ key: 'on', type: 'date', unit: 'd' }] })
  assert.match(found, /^fields\[0\]\.unit /)
})
