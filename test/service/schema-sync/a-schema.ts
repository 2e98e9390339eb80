/** A database for the files of a process, and helpers that sync and compare its schema. */
import assert from 'node:assert/strict'
import { before, beforeEach } from 'node:test'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { StartupError } from '../../../src/errors.ts'
import type { Observation } from '../../../src/observations.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { shareOnce } from '../../support/afterwards.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { aCatalog } from '../../support/schema-sync/a-catalog.ts'

export let database: TestDatabase
const shared = shareOnce(() => createTestDatabase())

// Creating Docket's own tables takes several times as long as a sync: they stay, without what syncs and tests wrote.
const empty = `DO $$ BEGIN
  DROP SCHEMA IF EXISTS records CASCADE;
  IF to_regclass('docket.migration') IS NULL THEN RETURN; END IF;
  CREATE SCHEMA records;
  DELETE FROM docket.rename;
  DELETE FROM docket.compared_rule;
  DELETE FROM docket.series;
  DELETE FROM docket.date_schedule;
  DELETE FROM docket.file;
  DELETE FROM docket.synced_schema;
  DELETE FROM docket.history;
  DELETE FROM docket.task_link;
  DELETE FROM docket.delivery_choice;
  DELETE FROM docket.job;
END $$`

/** For a file: before each test the database has no records, as if nothing was ever synced. */
export const shareSchema = (): void => {
  before(async () => {
    database = await shared()
  })
  beforeEach(() => database.pool.query(empty))
}

type SyncOptions = {
  definitions: readonly EntityDefinition[]
  allowDestructive?: boolean
  dropKept?: boolean
  timeZone?: string
  compareMs?: number
  isRecalculating?: boolean
}

/** Syncs the database with these definitions. */
export const sync = async ({ definitions, ...options }: SyncOptions) => {
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

/** Syncs the database with these definitions, with default options. */
export const define = (...definitions: EntityDefinition[]) => sync({ definitions })

/** The rows of a query. */
export const rows = async (text: string) => (await database.pool.query(text)).rows

/** Inserts records into `item`. */
export const insert = (values: string) => database.pool.query(`INSERT INTO records.item ${values}`)

/** Asserts that a sync is rejected with a message that contains these texts, and that it changed nothing. */
export const assertRejected = async (desired: SyncOptions, ...texts: string[]) => {
  const columns = () =>
    rows(`SELECT table_name, column_name, data_type, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'records' ORDER BY 1, 2`)
  const before = await columns()
  await assert.rejects(sync(desired), (error) => {
    assert.ok(error instanceof StartupError)
    for (const text of texts)
      assert.ok(error.message.includes(text), `${text}\nis not in\n${error.message}`)
    return true
  })
  assert.deepEqual(await columns(), before)
}

/** Asserts that a sync is rejected by default and succeeds with `allowDestructive`. */
export const assertNeedsPermission = async (
  definitions: EntityDefinition[],
  ...texts: string[]
) => {
  await assertRejected(
    { definitions },
    ...texts,
    'docket migrate --plan',
    'docket migrate --allow-destructive',
  )
  await sync({ definitions, allowDestructive: true })
  assert.deepEqual((await define(...definitions)).statements, [])
}
