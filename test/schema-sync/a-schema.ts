/** A database for the tests of one file, and the words in which they speak of its schema. */
import assert from 'node:assert/strict'
import { after, before, beforeEach } from 'node:test'
import type { EntityDefinition } from '../../src/definitions/schemas/entity-definition.ts'
import { StartupError } from '../../src/errors.ts'
import type { Observation } from '../../src/observations.ts'
import { syncSchema } from '../../src/schema-sync/sync-schema.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { aCatalog } from './a-catalog.ts'

export let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
beforeEach(() => database.pool.query('DROP SCHEMA IF EXISTS docket, records CASCADE'))
after(() => database.drop())

type Wish = {
  definitions: readonly EntityDefinition[]
  allowDestructive?: boolean
  timeZone?: string
  compareMs?: number
}

/** Makes the database follow these definitions. */
export const sync = async ({ definitions, ...options }: Wish) => {
  const observations: Observation[] = []
  const { applied, left } = await syncSchema({
    pool: database.pool,
    catalog: aCatalog(...definitions),
    observe: (observation) => observations.push(observation),
    ...options,
  })
  return {
    statements: applied.map(({ sql }) => sql),
    left: left.map(({ reason }) => reason),
    observations,
  }
}

/** Makes the database follow these definitions by itself. */
export const define = (...definitions: EntityDefinition[]) => sync({ definitions })

/** The rows of a query. */
export const rows = async (text: string) => (await database.pool.query(text)).rows

/** Adds records to `item`. */
export const insert = (values: string) => database.pool.query(`INSERT INTO records.item ${values}`)

/** Asserts that a wish is refused with these words, and that nothing changed. */
export const isRefused = async (desired: Wish, ...words: string[]) => {
  const columns = () =>
    rows(`SELECT table_name, column_name, data_type, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'records' ORDER BY 1, 2`)
  const before = await columns()
  await assert.rejects(sync(desired), (error) => {
    assert.ok(error instanceof StartupError)
    for (const word of words)
      assert.ok(error.message.includes(word), `${word}\nis not in\n${error.message}`)
    return true
  })
  assert.deepEqual(await columns(), before)
}

/** Asserts that a wish is refused by itself, and is done once it is allowed. */
export const needsLeave = async (definitions: EntityDefinition[], ...words: string[]) => {
  await isRefused(
    { definitions },
    ...words,
    'docket migrate --plan',
    'docket migrate --allow-destructive',
  )
  await sync({ definitions, allowDestructive: true })
  assert.deepEqual((await define(...definitions)).statements, [])
}
