/** Names of indexes and foreign keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf } from '../../../src/schema-sync/diff/schema.ts'

test('a name consists of table, columns and kind', () => {
  const key = { table: 'order', columns: ['supplier_id', '_created_at'] }
  assert.equal(nameOf({ ...key, kind: 'unique' }), 'order.supplier_id._created_at.key')
  assert.equal(nameOf({ ...key, kind: 'order' }), 'order.supplier_id._created_at.idx')
  assert.equal(nameOf({ ...key, kind: 'foreignKey' }), 'order.supplier_id._created_at.fkey')
})

test('different tables and columns have different names, also when they look the same joined by "_"', () => {
  const kind = 'order'
  assert.notEqual(
    nameOf({ table: 'order', columns: ['line_item_id'], kind }),
    nameOf({ table: 'order_line', columns: ['item_id'], kind }),
  )
})

test('a long name is shortened to 63 bytes, keeps its suffix and stays unique', () => {
  const table = 'a'.repeat(63)
  const kind = 'order'
  const first = nameOf({ table, columns: ['first'], kind })
  const second = nameOf({ table, columns: ['second'], kind })
  assert.equal(Buffer.byteLength(first), 63)
  assert.match(first, /\.idx$/)
  assert.notEqual(first, second)
  assert.equal(nameOf({ table, columns: ['first'], kind }), first)
})
