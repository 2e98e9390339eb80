/** A second sync with the same definitions changes nothing, for any definitions and also with concurrent syncs. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { createPool } from '../../../src/database/pool.ts'
import type { Catalog } from '../../../src/definitions/catalog.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { createTestDatabase } from '../../support/database.ts'
import { aCatalog, anItem } from '../../support/schema-sync/a-catalog.ts'
import { writeProject } from '../../support/service.ts'

const database = await createTestDatabase()
const emptyProject = await writeProject({ 'docket.json': {} })
beforeEach(() => database.pool.query('DROP SCHEMA IF EXISTS docket, records CASCADE'))
after(() => database.drop())

const statements = async (catalog: Catalog, timeZone = 'UTC') => {
  const { pool } = database
  const options = {
    pool,
    catalog,
    timeZone,
    observe: () => undefined,
    allowDestructive: true,
    dropKept: true,
  }
  return (await syncSchema(options)).applied.map(({ sql }) => sql)
}

const natives = async (): Promise<Catalog> => {
  const { project } = await loadProject(emptyProject)
  if (!project) throw new Error('The native definitions are invalid.')
  return project.catalog
}

type Field = EntityDefinition['fields'][number]
const flag = fc.boolean()
const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !/\p{Cc}/u.test(value))
const whole = fc.integer({ min: -2147483648, max: 2147483647 })
const digits = fc.bigInt({ min: -9999n, max: 9999n }).map(String)
const moment = fc
  .date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString())

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const common = { required: flag, unique: flag, indexed: flag }
const texts = { ...common, unique: fc.constantFrom(false, true, 'ignoreCase') }
const size = fc.record({
  precision: fc.integer({ min: 8, max: 30 }),
  scale: fc.integer({ min: 0, max: 4 }),
})

const ofType: Record<string, fc.Arbitrary<object>> = {
  string: fc.record({ ...texts, default: optional(text) }),
  text: fc.record({ required: flag, default: optional(text) }),
  email: fc.record({ ...texts, default: optional(fc.constant('anna@example.com')) }),
  integer: fc.record({ ...common, default: optional(whole) }),
  bigint: fc.record({ ...common, default: optional(fc.oneof(whole, digits)) }),
  decimal: fc
    .tuple(fc.record({ ...common, default: optional(digits) }), optional(size))
    .map(([field, shape]) => ({ ...field, ...shape })),
  boolean: fc.record({ ...common, default: optional(flag) }),
  date: fc.record({ ...common, default: optional(moment.map((one) => one.slice(0, 10))) }),
  timestamp: fc.record({
    ...common,
    default: optional(
      fc.oneof(
        moment,
        moment.map((one) => one.slice(0, 19).replace('T', ' ')),
      ),
    ),
  }),
  enum: fc.record({
    ...common,
    values: fc.constant(['low', 'high']),
    default: optional(fc.constant('low')),
  }),
  json: fc.record({ required: flag, default: optional(fc.jsonValue()) }),
  manyToOne: fc.record({ ...common, entity: fc.constantFrom('item', 'other') }),
  oneToMany: fc.constant({ entity: 'other', mappedBy: 'item' }),
}

const field = fc
  .constantFrom(...Object.keys(ofType))
  .chain((type) => (ofType[type] ?? fc.constant({})).map((more) => ({ type, ...more })))
const anEntity = fc.tuple(fc.array(field, { maxLength: 8 }), flag, flag).map(
  ([fields, ownership, hasWorkflow]): EntityDefinition => ({
    ...anItem(...fields.map((one, index) => ({ key: `f${index}`, ...one }) as Field)),
    ownership,
    ...(hasWorkflow && { workflow: { initialStep: 'draft', steps: [{ key: 'draft' }] } }),
  }),
)
const other: EntityDefinition = {
  key: 'other',
  fields: [
    { key: 'item', type: 'manyToOne', entity: 'item' },
    // A word of SQL.
    { key: 'order', type: 'string' },
  ],
  indexes: [
    { fields: ['item', 'order'], unique: 'ignoreCase', nullsNotDistinct: true },
    { fields: ['order', 'item'], unique: true },
  ],
}

test('a second sync of any field types and defaults changes nothing, also after a change of definitions', async () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns')
  await fc.assert(
    fc.asyncProperty(anEntity, anEntity, zones, async (first, second, timeZone) => {
      await database.pool.query('DROP SCHEMA IF EXISTS records CASCADE; CREATE SCHEMA records')
      for (const definition of [first, second]) {
        const catalog = aCatalog(definition, other)
        try {
          await statements(catalog, timeZone)
        } catch (error) {
          // PostgreSQL cannot convert some types; such a definition starts with an empty schema.
          if (!/cannot cast type/.test(String(error))) throw error
          await database.pool.query('DROP SCHEMA records CASCADE; CREATE SCHEMA records')
          await statements(catalog, timeZone)
        }
        assert.deepEqual(await statements(catalog, timeZone), [])
      }
    }),
    // TEST_RUNS is for a longer search.
    { numRuns: Number(process.env.TEST_RUNS ?? 8) },
  )
})

test('of six that sync an empty database concurrently, all succeed and one applies the changes', async () => {
  const { connectionString } = database
  const catalog = await natives()
  const observe = () => undefined
  const pools = Array.from({ length: 6 }, () => createPool({ connectionString, size: 2, observe }))
  const outcomes = await Promise.all(
    pools.map((pool) =>
      syncSchema({ pool, catalog, observe, allowDestructive: true, dropKept: true }),
    ),
  )
  await Promise.all(pools.map((pool) => pool.end()))
  assert.equal(outcomes.filter(({ applied }) => applied.length > 0).length, 1)
  assert.deepEqual(await statements(catalog), [])
})
