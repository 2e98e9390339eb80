/** A start compares definitions and tables only if either has changed since a sync that left nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Catalog } from '../../../src/definitions/catalog.ts'
import type { FieldDefinition } from '../../../src/definitions/field-types.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { isSynced } from '../../../src/schema-sync/synced-schema.ts'
import { aCatalog } from '../../support/schema-sync/a-catalog.ts'
import { database, shareSchema } from './a-schema.ts'

shareSchema()

const thing = (...fields: FieldDefinition[]) => aCatalog({ key: 'thing', fields })
const name: FieldDefinition = { key: 'name', type: 'string', unique: true }
const size: FieldDefinition = { key: 'size', type: 'integer' }

const catalog = thing(name, size)

const sync = (wanted: Catalog = catalog, timeZone = 'UTC') =>
  syncSchema({ pool: database.pool, catalog: wanted, timeZone, observe: () => undefined })
const isSame = (wanted: Catalog = catalog, timeZone = 'UTC') =>
  isSynced(database.pool, { catalog: wanted, timeZone })

test('a database that was never synced is compared', async () => {
  assert.equal(await isSame(), false)
})

test('after a sync nothing needs to be compared', async () => {
  await sync()
  assert.equal(await isSame(), true)
})

test('other definitions, or another time zone, are compared', async () => {
  await sync()
  assert.equal(await isSame(thing(name, { ...size, required: true })), false)
  assert.equal(await isSame(thing({ ...name, name: 'Title' }, size)), false)
  assert.equal(await isSame(catalog, 'Europe/Zagreb'), false)
})

for (const change of [
  'ALTER TABLE records.thing DROP COLUMN size',
  'ALTER TABLE records.thing ADD COLUMN weight integer',
  'ALTER TABLE records.thing ALTER COLUMN size SET DEFAULT 5',
  'DROP INDEX records."thing.name.key"',
  'DROP TABLE records.thing CASCADE',
  'DELETE FROM docket.migration WHERE number = 1',
])
  test(`tables after "${change}" are compared`, async () => {
    await sync()
    const connection = await database.pool.connect()
    await connection.query('BEGIN')
    await connection.query(change)
    const compared = await isSynced(connection, { catalog })
    await connection.query('ROLLBACK')
    connection.release()
    assert.equal(compared, false)
    assert.equal(await isSame(), true)
  })

test('while a sync leaves something, its warning is repeated', async () => {
  await sync()
  const fewer = thing(name)
  const { left } = await sync(fewer)
  assert.equal(left.length, 1)
  assert.equal(await isSame(fewer), false)
})
