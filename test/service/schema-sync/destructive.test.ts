/** Schema changes that could lose data or fail on existing records: rejected unless allowed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anItem } from '../../support/schema-sync/a-catalog.ts'
import {
  assertNeedsPermission,
  assertRejected,
  database,
  define,
  insert,
  rows,
  shareSchema,
  sync,
} from './a-schema.ts'

shareSchema()

test('a required field without a default is rejected until the table is empty', async () => {
  await define(anItem())
  await insert('DEFAULT VALUES')
  const definitions = [anItem({ key: 'code', type: 'string', required: true })]
  const texts = [
    'but 1 record exists',
    'ALTER TABLE "records"."item" ADD COLUMN "code" text NOT NULL;',
  ]
  await assertRejected({ definitions }, ...texts)
  await assertRejected(
    { definitions, allowDestructive: true },
    ...texts,
    'give the field a default',
  )
  await database.pool.query('DELETE FROM records.item')
  await define(...definitions)
})

test('a decimal grows without permission and shrinks only when allowed', async () => {
  const total = (precision: number, scale: number) =>
    anItem({ key: 'total', type: 'decimal', precision, scale, default: '0.0' })
  await define(total(8, 2))
  await define(total(10, 3))
  await assertNeedsPermission(
    [total(10, 2)],
    'item.total changes from numeric(10,3) to numeric(10,2)',
  )
})

test('a type that existing values do not fit is rejected with the number of values', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await insert(`(code) VALUES ('abc'), ('1'), ('99999999999'), (NULL)`)
  const definitions = [anItem({ key: 'code', type: 'integer' })]
  const texts = [
    'item.code changes from text to integer, but 2 values do not fit, for example in the records 1 and 3; make the values fit first',
  ]
  await assertRejected({ definitions }, ...texts)
  await assertRejected({ definitions, allowDestructive: true }, ...texts)
})

test('a conversion that PostgreSQL does not support is rejected with the message of PostgreSQL', async () => {
  await define(anItem({ key: 'code', type: 'boolean' }))
  const definitions = [anItem({ key: 'code', type: 'date' })]
  await assertRejected({ definitions }, 'values could be cut or rejected')
  await assertRejected(
    { definitions, allowDestructive: true },
    'PostgreSQL refused a change (cannot cast type boolean to date)',
  )
})

test('the message says how many values would be rounded, cut or rejected', async () => {
  await define(
    anItem(
      { key: 'price', type: 'decimal', precision: 8, scale: 2 },
      { key: 'size', type: 'decimal' },
      { key: 'at', type: 'timestamp' },
      { key: 'text', type: 'string' },
    ),
  )
  await insert(`(price, size, at, text) VALUES
    (1.50, 1, '2026-01-01T23:00:00Z', '1.25'), (1.25, 2.5, '2026-01-01T12:00:00Z', '1'), (NULL, 3000000000, NULL, NULL)`)
  const narrowed = (scale: number, text: string) => [
    anItem(
      { key: 'price', type: 'decimal', precision: 8, scale: 1 },
      text === 'rejected' ? { key: 'size', type: 'integer' } : { key: 'size', type: 'bigint' },
      { key: 'at', type: 'date' },
      { key: 'text', type: 'decimal', precision: 4, scale },
    ),
  ]
  await assertRejected(
    { definitions: narrowed(1, 'rejected'), timeZone: 'Europe/Berlin' },
    'item.price changes from numeric(8,2) to numeric(8,1): 1 value would be rounded or cut, for example in the record 2',
    'item.size changes from numeric to integer, but 1 value does not fit, for example in the record 3',
    'item.at changes from timestamp(3) with time zone to date: 1 value would be rounded or cut, for example in the record 2',
    'item.text changes from text to numeric(4,1): 1 value would be rounded or cut, for example in the record 1',
  )
  const definitions = narrowed(2, 'cut')
  await assertRejected(
    { definitions, timeZone: 'Europe/Berlin' },
    'item.size changes from numeric to bigint: 1 value would be rounded or cut',
    'item.text changes from text to numeric(4,2): every value fits',
  )
  await sync({ definitions, timeZone: 'Europe/Berlin', allowDestructive: true })
  assert.deepEqual(await rows('SELECT price, size, at FROM records.item ORDER BY id'), [
    { price: '1.5', size: 1, at: '2026-01-02' },
    { price: '1.3', size: 3, at: '2026-01-01' },
    { price: null, size: 3000000000, at: null },
  ])
})

test('a field with null values cannot become required without a default', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await insert('(code) VALUES (NULL), (NULL)')
  const definitions = [anItem({ key: 'code', type: 'string', required: true })]
  await assertRejected({ definitions }, '2 records have no value', 'SET NOT NULL')
  await assertRejected(
    { definitions, allowDestructive: true },
    'fill the records, or give the field a default first',
  )
})

test('a field with null values and a default becomes required when allowed', async () => {
  await define(anItem({ key: 'code', type: 'string', default: 'x' }))
  await insert('(code) VALUES (NULL)')
  await assertNeedsPermission(
    [anItem({ key: 'code', type: 'string', default: 'x', required: true })],
    '1 record has no value',
  )
  assert.deepEqual(await rows('SELECT code FROM records.item'), [{ code: 'x' }])
})

test('duplicates block a unique field; the message names two records but no value', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await insert(`(code) VALUES ('secret'), ('other'), ('secret'), ('secret')`)
  const definitions = [anItem({ key: 'code', type: 'string', unique: true })]
  const texts = [
    '1 value occurs more than once, for example in the records 1 and 3',
    'WHERE NOT _is_deleted;',
  ]
  await assertRejected({ definitions }, ...texts)
  await assertRejected(
    { definitions, allowDestructive: true },
    ...texts,
    'make the values unique first',
  )
  await assert.rejects(sync({ definitions }), (error: Error) => !error.message.includes('secret'))
})

test('a new unique field with a default is rejected when more than one record exists', async () => {
  await define(anItem())
  await insert('DEFAULT VALUES')
  await insert('DEFAULT VALUES')
  const definitions = [anItem({ key: 'code', type: 'string', unique: true, default: 'x' })]
  await assertRejected(
    { definitions, allowDestructive: true },
    '1 value occurs more than once',
    '1 and 2',
  )
})

test('null values that the default would replace count as duplicates', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await insert('(code) VALUES (NULL), (NULL)')
  const definitions = [
    anItem({ key: 'code', type: 'string', unique: true, required: true, default: 'x' }),
  ]
  await assertRejected({ definitions, allowDestructive: true }, '1 value occurs more than once')
})

test('a link is rejected while records reference a record that does not exist', async () => {
  const supplier = { key: 'supplier', fields: [] }
  await define(anItem({ key: 'supplier_id', type: 'integer' }), supplier)
  await insert('(supplier_id) VALUES (7)')
  const definitions = [anItem({ key: 'supplier', type: 'manyToOne', entity: 'supplier' }), supplier]
  const texts = [
    'item.supplier_id links to supplier now, but 1 record names one that does not exist',
  ]
  await assertRejected({ definitions }, ...texts)
  await assertRejected(
    { definitions, allowDestructive: true },
    ...texts,
    'correct or clear those links first',
  )
  await database.pool.query('INSERT INTO records.supplier (id) VALUES (7)')
  await define(...definitions)
})

test('tables without a definition are kept, and dropped when allowed, also when they link to each other', async () => {
  await define(
    anItem(),
    { key: 'a', fields: [{ key: 'b', type: 'manyToOne', entity: 'b' }] },
    { key: 'b', fields: [{ key: 'a', type: 'manyToOne', entity: 'a' }] },
  )
  await database.pool.query('INSERT INTO records.a DEFAULT VALUES')
  const definitions = [anItem()]
  const plain = await sync({ definitions })
  assert.deepEqual(plain.left, ['no definition is left for a with 1 record, b with 0 records'])
  assert.equal((await rows('SELECT FROM records.a')).length, 1)
  const dropped = await sync({ definitions, allowDestructive: true })
  assert.deepEqual(dropped.statements, ['DROP TABLE "records"."a", "records"."b"'])
})

test('a table is dropped while the table that linked to it stays', async () => {
  await define(anItem({ key: 'a', type: 'manyToOne', entity: 'a' }), { key: 'a', fields: [] })
  const { statements } = await sync({ definitions: [anItem()], allowDestructive: true })
  assert.deepEqual(statements, [
    'ALTER TABLE "records"."item" DROP COLUMN "a_id"',
    'DROP TABLE "records"."a"',
  ])
})

test('a table that other database objects depend on is not dropped', async () => {
  await define(anItem(), { key: 'a', fields: [] })
  await database.pool.query('CREATE VIEW public.report AS SELECT id FROM records.a')
  await assertRejected(
    { definitions: [anItem()], allowDestructive: true },
    'PostgreSQL refused a change',
  )
  await database.pool.query('DROP VIEW public.report')
})

test('columns of ownership and workflow are added without permission and dropped when allowed', async () => {
  await define(anItem())
  await insert('DEFAULT VALUES')
  const workflow = { initialStep: 'draft', steps: [{ key: 'draft' }] }
  await define({ ...anItem(), ownership: true, workflow })
  assert.deepEqual(await rows('SELECT _owned_by, _step FROM records.item'), [
    { _owned_by: null, _step: 'draft' },
  ])
  const { left } = await define(anItem())
  assert.deepEqual(left, [
    'records have no owner any more: item._owned_by with its values',
    'records have no workflow any more: item._step with its values',
  ])
  const { statements } = await sync({ definitions: [anItem()], allowDestructive: true })
  assert.equal(statements.length, 2)
})

test('one change that needs permission blocks all others, and the message lists every such change', async () => {
  await define(anItem({ key: 'code', type: 'string' }, { key: 'name', type: 'string' }))
  const asInteger = (key: string) => ({ key, type: 'integer' }) as const
  await assertRejected(
    {
      definitions: [anItem(asInteger('code'), asInteger('name'), { key: 'fresh', type: 'string' })],
    },
    'item.code changes',
    'item.name changes',
  )
})
