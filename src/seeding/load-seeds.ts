/**
 * Loads a project's seed records: all files in one transaction, each record identified by the first unique index of
 * its entity. Missing records are inserted; existing ones stay unless an update is requested; records that users
 * changed or removed are never touched (docs/seeds.md).
 */
import type { BlobStore } from '../blobs/blob-store.ts'
import { execute, type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import { raiseSeries } from '../database/series.ts'
import { int, sql, table } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import { rollupBlocks } from '../schema-sync/calculations/calculation-sql.ts'
import { checkFile } from './checks/check-records.ts'
import { type Checking, checkRows } from './checks/check-rows.ts'
import { type SeedFolder, seedFolderOf, withFiles } from './files/named-files.ts'
import { type SeedError, type SeedFile, startupErrorOf } from './files/seed.ts'
import { listSeeds, readSeed } from './files/seed-file.ts'
import { createFileKeeper, type FileKeeper } from './keep-files.ts'
import { dropRows, loadRows } from './seed-rows.ts'
import { type ChangedRecord, type LeftRecord, writeRecords } from './write-records.ts'

/** The result of loading one file. */
export type LoadedFile = {
  readonly file: string
  readonly entityKey: string
  readonly inserted: number
  readonly updated: readonly ChangedRecord[]
  readonly unchanged: number
  /** Records that differ from their seeds and were not updated. */
  readonly left: readonly LeftRecord[]
}

/** State shared by the files of one run. */
type Run = Checking & {
  /** Whether to update records that differ, except those changed by users. */
  readonly isUpdating: boolean
  readonly files: FileKeeper
}

type Refused = { readonly errors: readonly SeedError[] }

/** Loads a whole file or nothing; returns every error. After another file with errors, only what the file itself says is checked. */
const loadFile = async (
  run: Run,
  seed: SeedFile,
  { isChecked }: { readonly isChecked: boolean },
): Promise<LoadedFile | Refused> => {
  const { connection, catalog, calendar } = run
  const { key, records, errors } = checkFile(seed, calendar.timeZone)
  if (errors.length > 0 || isChecked) return { errors }
  const rows = await loadRows({ connection, catalog, seed, key }, records)
  const lacking = await checkRows(run, rows, key)
  if (lacking.length > 0) return { errors: lacking }
  const written = await writeRecords({ ...run, rows })
  if ('errors' in written) return written
  await dropRows(connection)
  const { inserted, updated, left } = written
  const unchanged = records.length - inserted - updated.length - left.length
  const { file, entity } = seed
  return { file, entityKey: entity.key, inserted, updated, unchanged, left }
}

type Options = {
  readonly pool: Pool
  readonly project: Project
  readonly timeZone: string
  /** Where the files that seeds name are stored, and how many bytes one may have. */
  readonly blobs: BlobStore
  readonly maxBytes: number
  /** Also updates records that differ from their seeds, except those changed by users. */
  readonly isUpdating?: boolean
  /** Returns what would be done, and writes nothing. */
  readonly isPlan?: boolean
  /** Prepares the transaction before seeds are loaded; rolled back with them. */
  readonly makeFirst?: (connection: Queryable) => Promise<void>
  /** Called for each file after its records were written; they are committed only when all files are. */
  readonly onProgress?: (loaded: LoadedFile) => void
}

/**
 * Returns the result of each file, or throws a StartupError with every error of every file; then nothing
 * was loaded. New records have no history entry; changes by an update have one, without a user.
 */
export const loadSeeds = async ({
  pool,
  project,
  timeZone,
  blobs,
  maxBytes,
  isUpdating = false,
  isPlan = false,
  makeFirst,
  onProgress,
}: Options): Promise<{ files: LoadedFile[] }> => {
  const { seeds, errors } = await listSeeds(project)
  if (seeds.length === 0 && errors.length === 0) return { files: [] }
  return transaction(pool, async (connection) => {
    await lockSeeding(connection)
    await connection.query('SAVEPOINT loading')
    await makeFirst?.(connection)
    const { catalog } = project
    const calendar = { timeZone, firstDayOfWeek: catalog.firstDayOfWeek }
    const folder: SeedFolder = { path: seedFolderOf(project.directory), maxBytes }
    const keeper = createFileKeeper({ pool, blobs, folder, isPlan })
    const run: Run = { connection, catalog, calendar, isUpdating, files: keeper }
    const files: LoadedFile[] = []
    const found: SeedError[] = [...errors]
    for (const seed of seeds) {
      const isChecked = found.length > errors.length
      const result = await loadFile(run, await withFiles(await readSeed(project, seed), folder), {
        isChecked,
      })
      if ('errors' in result) {
        for (const issue of result.errors) found.push(issue)
        continue
      }
      files.push(result)
      onProgress?.(result)
    }
    if (found.length > 0) throw startupErrorOf(found)
    if (files.some(({ inserted, updated }) => inserted > 0 || updated.length > 0))
      await follow(run, files)
    await keeper.adopt(connection)
    if (isPlan) await connection.query('ROLLBACK TO SAVEPOINT loading')
    return { files }
  })
}

/** Lets one process at a time seed; others wait for the end of its transaction. */
const lockSeeding = (database: Queryable) =>
  queryOnce(database, sql`SELECT pg_advisory_xact_lock(hashtextextended('docket.seeding', 0))`)

/** Calculates what follows from other records, and raises counters above the numbers that the seeds give. */
const follow = async (run: Run, files: readonly LoadedFile[]): Promise<void> => {
  const {
    connection,
    catalog,
    calendar: { timeZone },
  } = run
  for (const block of rollupBlocks({ catalog, timeZone })) await execute(connection, block)
  for (const key of new Set(files.map(({ entityKey }) => entityKey)))
    await raiseSeries(connection, getEntity(catalog, key))
}

/**
 * Whether the seeds of a project were never loaded: none of its seeded entities has a record, not even a
 * removed one. Native entities count only when the project seeds no others.
 */
export const isUnseeded = async (pool: Pool, project: Project): Promise<boolean> => {
  const { seeds } = await listSeeds(project)
  const entities = new Set(seeds.map(({ entity }) => entity))
  const own = [...entities].filter(({ isNative }) => !isNative)
  // The start itself creates the roles and one user, the administrator.
  const madeAtStart = (entity: Entity) => nativeEntity(entity).madeAtStart ?? 0
  const counted =
    own.length > 0
      ? own
      : [...entities].filter((one) => madeAtStart(one) < Number.POSITIVE_INFINITY)
  for (const entity of counted)
    if (!(await hasNoRecords(pool, entity, madeAtStart(entity)))) return false
  return counted.length > 0
}

/** Whether an entity has no record besides so many, not even a removed one. */
const hasNoRecords = async (database: Queryable, entity: Entity, besides: number) => {
  const rows = await queryOnce(
    database,
    sql`SELECT FROM ${table(entity)} OFFSET ${int(besides)} LIMIT 1`,
  )
  return rows.length === 0
}
