/** The database follows the definitions: what could lose or block waits for leave. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anItem } from './a-catalog.ts'
import { database, define, insert, isRefused, needsLeave, rows, sync } from './a-schema.ts'

test('a required field without a default waits until the table is empty', async () => {
  await define(anItem())
  await insert('DEFAULT VALUES')
  const definitions = [anItem({ key: 'code', type: 'string', required: true })]
  const words = [
    'but 1 record exists',
    'ALTER TABLE "records"."item" ADD COLUMN "code" text NOT NULL;',
  ]
  await isRefused({ definitions }, ...words)
  await isRefused({ definitions, allowDestructive: true }, ...words, 'give the field a default')
  await database.pool.query('DELETE FROM records.item')
  await define(...definitions)
})

test('a decimal grows by itself and shrinks only when allowed', async () => {
  const total = (precision: number, scale: number) =>
    anItem({ key: 'total', type: 'decimal', precision, scale, default: '0.0' })
  await define(total(8, 2))
  await define(total(10, 3))
  await needsLeave([total(10, 2)], 'item.total changes from numeric(10,3) to numeric(10,2)')
})

test('a type that its values do not fit is refused with what PostgreSQL says', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await insert(`(code) VALUES ('abc')`)
  const definitions = [anItem({ key: 'code', type: 'integer' })]
  await isRefused({ definitions }, 'from text to integer')
  await isRefused(
    { definitions, allowDestructive: true },
    'PostgreSQL refused a change',
    'TYPE integer',
  )
})

test('a field with empty records becomes required never without a default', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await insert('(code) VALUES (NULL), (NULL)')
  const definitions = [anItem({ key: 'code', type: 'string', required: true })]
  await isRefused({ definitions }, '2 records have no value', 'SET NOT NULL')
  await isRefused(
    { definitions, allowDestructive: true },
    'fill the records, or give the field a default first',
  )
})

test('a field with empty records becomes required with a default when allowed', async () => {
  await define(anItem({ key: 'code', type: 'string', default: 'x' }))
  await insert('(code) VALUES (NULL)')
  await needsLeave(
    [anItem({ key: 'code', type: 'string', default: 'x', required: true })],
    '1 record has no value',
  )
  assert.deepEqual(await rows('SELECT code FROM records.item'), [{ code: 'x' }])
})

test('duplicates are named by two records, never by their value, and have to be mended', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await insert(`(code) VALUES ('secret'), ('other'), ('secret'), ('secret')`)
  const definitions = [anItem({ key: 'code', type: 'string', unique: true })]
  const words = [
    '1 value stands more than once, for example in the records 1 and 3',
    'WHERE NOT _is_deleted;',
  ]
  await isRefused({ definitions }, ...words)
  await isRefused({ definitions, allowDestructive: true }, ...words, 'make the values unique first')
  await assert.rejects(sync({ definitions }), (error: Error) => !error.message.includes('secret'))
})

test('a new unique field whose default would stand in two records is refused', async () => {
  await define(anItem())
  await insert('DEFAULT VALUES')
  await insert('DEFAULT VALUES')
  const definitions = [anItem({ key: 'code', type: 'string', unique: true, default: 'x' })]
  await isRefused(
    { definitions, allowDestructive: true },
    '1 value stands more than once',
    '1 and 2',
  )
})

test('values that a default would make alike are duplicates', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await insert('(code) VALUES (NULL), (NULL)')
  const definitions = [
    anItem({ key: 'code', type: 'string', unique: true, required: true, default: 'x' }),
  ]
  await isRefused({ definitions, allowDestructive: true }, '1 value stands more than once')
})

test('a link is refused while records name one that does not exist', async () => {
  const supplier = { key: 'supplier', fields: [] }
  await define(anItem({ key: 'supplier_id', type: 'integer' }), supplier)
  await insert('(supplier_id) VALUES (7)')
  const definitions = [anItem({ key: 'supplier', type: 'manyToOne', entity: 'supplier' }), supplier]
  const words = [
    'item.supplier_id links to supplier now, but 1 record names one that does not exist',
  ]
  await isRefused({ definitions }, ...words)
  await isRefused(
    { definitions, allowDestructive: true },
    ...words,
    'mend or empty those links first',
  )
  await database.pool.query('INSERT INTO records.supplier (id) VALUES (7)')
  await define(...definitions)
})

test('a column goes only when allowed', async () => {
  await define(anItem({ key: 'code', type: 'string', unique: true }))
  await needsLeave([anItem()], 'item.code would go with its values', 'DROP COLUMN "code"')
})

test('tables go only when allowed, also when they link to each other', async () => {
  await define(
    anItem(),
    { key: 'a', fields: [{ key: 'b', type: 'manyToOne', entity: 'b' }] },
    { key: 'b', fields: [{ key: 'a', type: 'manyToOne', entity: 'a' }] },
  )
  await database.pool.query('INSERT INTO records.a DEFAULT VALUES')
  await needsLeave(
    [anItem()],
    'no definition is left for a with 1 record, b with 0 records',
    'DROP TABLE "records"."a", "records"."b"',
  )
})

test('a table goes while the one that linked to it stays', async () => {
  await define(anItem({ key: 'a', type: 'manyToOne', entity: 'a' }), { key: 'a', fields: [] })
  await needsLeave([anItem()], 'DROP TABLE "records"."a"', 'DROP COLUMN "a_id"')
})

test('what a person built on a table keeps it from being dropped', async () => {
  await define(anItem(), { key: 'a', fields: [] })
  await database.pool.query('CREATE VIEW public.report AS SELECT id FROM records.a')
  await isRefused(
    { definitions: [anItem()], allowDestructive: true },
    'PostgreSQL refused a change',
  )
  await database.pool.query('DROP VIEW public.report')
})

test('ownership and workflow come by themselves and go only when allowed', async () => {
  await define(anItem())
  await insert('DEFAULT VALUES')
  const workflow = { initialStep: 'draft', steps: [{ key: 'draft' }] }
  await define({ ...anItem(), ownership: true, workflow })
  assert.deepEqual(await rows('SELECT _owned_by, _step FROM records.item'), [
    { _owned_by: null, _step: 'draft' },
  ])
  await needsLeave(
    [anItem()],
    'records have no owner any more',
    'records have no workflow any more',
  )
})

test('one change that needs leave holds all others back, and all are told', async () => {
  await define(anItem({ key: 'code', type: 'string' }, { key: 'name', type: 'string' }))
  await isRefused(
    { definitions: [anItem({ key: 'fresh', type: 'string' })] },
    'item.code would go',
    'item.name would go',
  )
})
