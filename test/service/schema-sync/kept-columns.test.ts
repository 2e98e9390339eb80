/** Columns and tables without a definition are kept, do not block new records, and are used again when defined again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { planSync } from '../../../src/schema-sync/sync-schema.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import { database, define, insert, rows, shareSchema, sync } from './a-schema.ts'

shareSchema()

const plain = anItem({ key: 'name', type: 'string' })
const country = { key: 'country', fields: [] }
const withMoreFields = anItem(
  { key: 'name', type: 'string' },
  { key: 'vat_id', type: 'string', required: true, unique: true },
  { key: 'level', type: 'integer', required: true, unique: true, default: 1 },
  { key: 'country', type: 'manyToOne', entity: 'country', required: true },
)

test('a version without a field can write records, and a later version with the field finds its values', async () => {
  await define(withMoreFields, country)
  await database.pool.query('INSERT INTO records.country DEFAULT VALUES')
  await insert(`(name, vat_id, country_id) VALUES ('a', 'DE1', 1)`)

  const back = await define(plain)
  assert.deepEqual(back.left, [
    'no field is left for it: item.vat_id with its values',
    'no field is left for it: item.level with its values',
    'no field is left for it: item.country_id with its values',
    'no definition is left for country with 1 record',
  ])
  assert.deepEqual(
    back.observations.map(({ kind }) => kind),
    ['schemaSynced', 'schemaWarning'],
  )
  await insert(`(name) VALUES ('b'), ('c')`)
  // The next start changes nothing.
  assert.deepEqual((await define(plain)).statements, [])

  const optional = anItem(
    { key: 'name', type: 'string' },
    { key: 'vat_id', type: 'string', unique: true },
    { key: 'level', type: 'integer', default: 1 },
    { key: 'country', type: 'manyToOne', entity: 'country' },
  )
  const forward = await define(optional, country)
  assert.deepEqual(forward.left, [])
  assert.deepEqual(await rows('SELECT name, vat_id, country_id FROM records.item ORDER BY id'), [
    { name: 'a', vat_id: 'DE1', country_id: 1 },
    { name: 'b', vat_id: null, country_id: null },
    { name: 'c', vat_id: null, country_id: null },
  ])
  await assert.rejects(insert(`(vat_id) VALUES ('DE1')`), { code: '23505' })
})

test('an entity that is defined again has its records', async () => {
  const other: EntityDefinition = { key: 'other', fields: [{ key: 'name', type: 'string' }] }
  await define(plain, other)
  await database.pool.query(`INSERT INTO records.other (name) VALUES ('x')`)
  await define(plain)
  await define(plain, other)
  assert.deepEqual(await rows('SELECT name FROM records.other'), [{ name: 'x' }])
})

test('a column that was added by hand is kept too', async () => {
  await define(plain)
  await database.pool.query('ALTER TABLE records.item ADD COLUMN mine text NOT NULL')
  await define(plain)
  await insert('DEFAULT VALUES')
  assert.deepEqual(await rows('SELECT mine FROM records.item'), [{ mine: null }])
})

test('the plan lists what is kept, and allowDestructive drops it without making it optional first', async () => {
  await define(withMoreFields, country)
  const plan = await planSync({ pool: database.pool, catalog: aCatalog(plain) })
  assert.deepEqual(
    plan.filter(({ kind }) => kind === 'kept').map(({ sql }) => sql),
    [
      'ALTER TABLE "records"."item" DROP COLUMN "vat_id"',
      'ALTER TABLE "records"."item" DROP COLUMN "level"',
      'ALTER TABLE "records"."item" DROP COLUMN "country_id"',
      'DROP TABLE "records"."country"',
    ],
  )
  const { statements, left } = await sync({ definitions: [plain], allowDestructive: true })
  assert.deepEqual(left, [])
  assert.ok(!statements.some((sql) => sql.includes('DROP NOT NULL')))
  assert.deepEqual((await define(plain)).statements, [])
})
