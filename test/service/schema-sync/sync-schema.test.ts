/**
 * Schema changes that lose no data are applied without permission; what has no definition is kept; a start compares
 * definitions and tables only if either has changed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '../../../src/database/pool.ts'
import type { Catalog } from '../../../src/definitions/catalog.ts'
import type { FieldDefinition } from '../../../src/definitions/field-types.ts'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { StartupError } from '../../../src/errors.ts'
import { isSynced } from '../../../src/schema-sync/desired-schema.ts'
import { planSync, syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import { database, define, insert, rows, shareSchema, sync } from './a-schema.ts'

shareSchema()

test('every table has the system columns; ownership and workflow add their own', async () => {
  await define(
    { key: 'plain', fields: [] },
    {
      key: 'rich',
      fields: [],
      ownership: true,
      workflow: { initialStep: "it's new", steps: [{ key: "it's new" }] },
    },
  )
  const columns = (table: string) =>
    rows(`SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'required' END,
        pg_get_expr(adbin, adrelid)) AS c
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = 'records.${table}'::regclass AND attnum > 0 ORDER BY attnum`)
  const system = [
    ...['id integer required', '_is_deleted boolean required false', '_created_by integer'],
    ...['_updated_by integer', '_created_at timestamp(3) with time zone required now()'],
    '_updated_at timestamp(3) with time zone required now()',
  ]
  const version = '_version integer required 1'
  assert.deepEqual(
    await columns('plain'),
    [...system, version].map((c) => ({ c })),
  )
  assert.deepEqual(
    await columns('rich'),
    [...system, '_owned_by integer', `_step text required 'it''s new'::text`, version].map((c) => ({
      c,
    })),
  )
})

test('a sync is reported only when something was applied', async () => {
  const { observations } = await define(anItem())
  assert.deepEqual(
    observations.map(({ kind }) => kind),
    ['schemaSynced'],
  )
  assert.deepEqual(await define(anItem()), { statements: [], left: [], observations: [] })
})

test('links may form cycles and lead to their own entity', async () => {
  await define(
    { key: 'a', fields: [{ key: 'b', type: 'manyToOne', entity: 'b', required: true }] },
    {
      key: 'b',
      fields: [
        { key: 'a', type: 'manyToOne', entity: 'a' },
        { key: 'b', type: 'manyToOne', entity: 'b' },
      ],
    },
  )
  await assert.rejects(database.pool.query('INSERT INTO records.a (b_id) VALUES (1)'), {
    code: '23503',
  })
  const indexes = await rows(
    `SELECT indexname FROM pg_indexes WHERE schemaname = 'records' AND indexname LIKE '%.idx' ORDER BY 1`,
  )
  assert.deepEqual(
    indexes.map(({ indexname }) => indexname),
    ['a.b_id.idx', 'b.a_id.idx', 'b.b_id.idx'],
  )
})

test('a required field with a default is added to a table with records and set in them', async () => {
  await define(anItem())
  await insert('DEFAULT VALUES')
  const definitions = [
    anItem(
      { key: 'code', type: 'string', required: true, default: `it's \\ "x"` },
      { key: 'total', type: 'decimal', precision: 8, scale: 2, required: true, default: '0' },
      { key: 'big', type: 'bigint', required: true, default: '9007199254740993' },
      { key: 'is_open', type: 'boolean', required: true, default: false },
      { key: 'meta', type: 'json', required: true, default: { b: 1, a: ['x'] } },
      { key: 'day', type: 'date', required: true, default: '2026-02-28' },
      { key: 'at', type: 'timestamp', required: true, default: '2026-05-04 08:30:00' },
    ),
  ]
  await sync({ definitions, timeZone: 'Europe/Berlin' })
  assert.deepEqual(
    await rows('SELECT code, total, big::text, is_open, meta, day, at FROM records.item'),
    [
      {
        code: `it's \\ "x"`,
        total: '0.00',
        big: '9007199254740993',
        is_open: false,
        meta: '{"b":1,"a":["x"]}',
        day: '2026-02-28',
        // A time without offset is in the given time zone.
        at: '2026-05-04 06:30:00+00',
      },
    ],
  )
})

test('an integer field is widened with its values, default and index', async () => {
  const field = { key: 'count', default: 1, indexed: true } as const
  await define(anItem({ ...field, type: 'integer' }))
  await insert('(count) VALUES (2147483647)')
  await define(anItem({ ...field, type: 'bigint' }))
  await define(anItem({ ...field, type: 'decimal', default: '1', precision: 22, scale: 3 }))
  await insert('DEFAULT VALUES')
  assert.deepEqual(await rows('SELECT count FROM records.item ORDER BY id'), [
    { count: '2147483647.000' },
    { count: '1.000' },
  ])
})

test('an index is created without permission and dropped when allowed; an index created by hand stays', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await database.pool.query('CREATE INDEX item_code_lower ON records.item (lower(code))')
  await database.pool.query('CREATE INDEX item_code_idx ON records.item (code)')
  const { statements } = await define(anItem({ key: 'code', type: 'string', indexed: true }))
  assert.deepEqual(statements, ['CREATE INDEX "item.code.idx" ON "records"."item" ("code")'])
  const definitions = [anItem({ key: 'code', type: 'string' })]
  const plain = await sync({ definitions })
  assert.deepEqual(plain.statements, [])
  assert.deepEqual(plain.left, ['no definition requires the index on code of item'])
  const dropped = await sync({ definitions, dropKept: true })
  assert.deepEqual(dropped.statements, ['DROP INDEX "records"."item.code.idx"'])
  const byHand = `SELECT FROM pg_indexes WHERE indexname IN ('item_code_lower', 'item_code_idx')`
  assert.equal((await rows(byHand)).length, 2)
})

test('a field becomes unique without permission when no value repeats, ignoring removed records and nulls', async () => {
  await define(anItem({ key: 'code', type: 'string' }))
  await insert(`(code, _is_deleted) VALUES ('x', false), ('x', true), (NULL, false), (NULL, false)`)
  await define(anItem({ key: 'code', type: 'string', unique: true }))
})

test('a plan lists all changes and writes nothing, not even to an empty database', async () => {
  await database.pool.query('DROP SCHEMA IF EXISTS docket, records CASCADE')
  const plan = await planSync({ pool: database.pool, catalog: aCatalog(anItem()) })
  assert.equal(plan.length, 1)
  assert.deepEqual(
    await rows(`SELECT FROM pg_namespace WHERE nspname IN ('docket', 'records')`),
    [],
  )
})

test('a sync that fails releases its lock and its connection', async () => {
  const pool = createPool({
    connectionString: database.connectionString,
    size: 1,
    observe: () => undefined,
  })
  const desired = {
    pool,
    catalog: aCatalog(anItem({ key: 'code', type: 'string' })),
    observe: () => undefined,
  }
  await syncSchema(desired)
  await insert(`(code) VALUES ('x')`)
  const other = aCatalog(anItem({ key: 'code', type: 'integer' }))
  await assert.rejects(syncSchema({ ...desired, catalog: other }), StartupError)
  assert.deepEqual(await syncSchema(desired), { applied: [], left: [] })
  await pool.end()
  await define(anItem({ key: 'code', type: 'string' }))
})

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

test('an entity that is defined again has its records, and a column that was added by hand is kept too', async () => {
  const other: EntityDefinition = { key: 'other', fields: [{ key: 'name', type: 'string' }] }
  await define(plain, other)
  await database.pool.query(`INSERT INTO records.other (name) VALUES ('x')`)
  await database.pool.query('ALTER TABLE records.item ADD COLUMN mine text NOT NULL')
  await define(plain)
  await insert('DEFAULT VALUES')
  assert.deepEqual(await rows('SELECT mine FROM records.item'), [{ mine: null }])
  await define(plain, other)
  assert.deepEqual(await rows('SELECT name FROM records.other'), [{ name: 'x' }])
})

test('the plan lists what is kept, and dropKept drops it without making it optional first', async () => {
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
  const { statements, left } = await sync({ definitions: [plain], dropKept: true })
  assert.deepEqual(left, [])
  assert.ok(!statements.some((sql) => sql.includes('DROP NOT NULL')))
  assert.deepEqual((await define(plain)).statements, [])
})

const thing = (...fields: FieldDefinition[]) => aCatalog({ key: 'thing', fields })
const name: FieldDefinition = { key: 'name', type: 'string', unique: true }
const size: FieldDefinition = { key: 'size', type: 'integer' }

const catalog = thing(name, size)

const syncThing = (wanted: Catalog = catalog) =>
  syncSchema({ pool: database.pool, catalog: wanted, timeZone: 'UTC', observe: () => undefined })
const isSame = (wanted: Catalog = catalog, timeZone = 'UTC') =>
  isSynced(database.pool, { catalog: wanted, timeZone })

test('tables are compared before the first sync, for other definitions, and in another time zone', async () => {
  assert.equal(await isSame(), false)
  await syncThing()
  assert.equal(await isSame(), true)
  assert.equal(await isSame(thing(name, { ...size, required: true })), false)
  assert.equal(await isSame(thing({ ...name, name: 'Title' }, size)), false)
  assert.equal(await isSame(catalog, 'Europe/Zagreb'), false)
})

test('tables that were changed by hand are compared', async () => {
  await syncThing()
  const connection = await database.pool.connect()
  for (const change of [
    'ALTER TABLE records.thing DROP COLUMN size',
    'ALTER TABLE records.thing ADD COLUMN weight integer',
    'ALTER TABLE records.thing ALTER COLUMN size SET DEFAULT 5',
    'DROP INDEX records."thing.name.key"',
    'DROP TABLE records.thing CASCADE',
    'DELETE FROM docket.migration WHERE number = 1',
  ]) {
    await connection.query('BEGIN')
    await connection.query(change)
    assert.equal(await isSynced(connection, { catalog }), false, change)
    await connection.query('ROLLBACK')
  }
  connection.release()
  assert.equal(await isSame(), true)
})

test('while a sync leaves something, its warning is repeated', async () => {
  await syncThing()
  const fewer = thing(name)
  const { left } = await syncThing(fewer)
  assert.equal(left.length, 1)
  assert.equal(await isSame(fewer), false)
})
