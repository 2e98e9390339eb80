/**
 * Loads a project's seed records: all files in one transaction, each record identified by the first unique index of
 * its entity. Missing records are inserted; existing ones stay unless an update is requested; records that users
 * changed or removed are never touched (docs/seeds.md).
 */
import { execute, type Pool, type Queryable } from '../database/pool.ts'
import { raiseSeries } from '../database/series.ts'
import { transaction } from '../database/transaction.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import { rollupBlocks } from '../schema-sync/calculations/calculation-sql.ts'
import { checkKeys, checkSeed, completeNew, findDuplicates } from './checks/check-records.ts'
import {
  errorOfFile,
  type Reference,
  type SeedError,
  type SeedFile,
  startupErrorOf,
} from './files/seed.ts'
import { listSeeds, readSeed } from './files/seed-file.ts'
import { keyOf, matchRecords } from './match-records.ts'
import {
  addUnloaded,
  checkRemovedTargets,
  ownIdsOf,
  resolveReferences,
  type Unloaded,
} from './references.ts'
import { type ChangedRecord, hasNoRecords, lockSeeding } from './seed-store.ts'
import { findTakenValues, type LeftRecord, writeRecords } from './write-records.ts'

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
type Run = {
  readonly connection: Queryable
  readonly catalog: Catalog
  readonly timeZone: string
  /** Whether to update records that differ, except those changed by users. */
  readonly isUpdating: boolean
  /** Filled by files with errors, for later files. */
  readonly unloaded: Unloaded
}

type Refused = { readonly errors: readonly SeedError[] }

/** Loads a whole file or nothing; returns every error. */
const loadFile = async (run: Run, seed: SeedFile): Promise<LoadedFile | Refused> => {
  const { unloaded } = run
  const { file, entity } = seed
  if (keyOf(entity).length === 0) {
    unloaded.entities.add(entity.key)
    const message = `cannot be loaded: ${entity.key} has no unique field or index to identify its records`
    return { errors: [...seed.errors, errorOfFile(file, message)] }
  }
  const { records, errors, isBlocked } = await prepare(run, seed)
  const writing = { ...run, seed }
  const written =
    errors.length === 0 && !isBlocked
      ? await writeRecords(writing, records)
      : { errors: await findTakenValues(writing, records) }
  if ('updated' in written) {
    const { updated, left } = written
    const inserted = records.filter(({ isNew }) => isNew).length
    const unchanged = records.length - inserted - updated.length - left.length
    return { file, entityKey: entity.key, inserted, updated, unchanged, left }
  }
  addUnloaded(unloaded, seed, records)
  return { errors: [...errors, ...written.errors] }
}

/** The records to write; `isBlocked` when they depend on records with errors. */
const prepare = async ({ connection, catalog, timeZone, unloaded }: Run, seed: SeedFile) => {
  const { entity } = seed
  const { records, errors: wrong } = checkSeed(seed, timeZone)
  const key = keyOf(entity, records)
  // Links within the file are resolved after its records have ids.
  const isInside = ({ column }: Reference) => column.target === entity.key && !key.includes(column)
  const resolving = { connection, catalog, seed, unloaded }
  const outside = await resolveReferences(resolving, records, (link) => !isInside(link))
  const keyless = checkKeys(seed, key, records)
  const mismatched = await matchRecords({ connection, seed, key }, records)
  const own = ownIdsOf(entity, records)
  const inside = await resolveReferences({ ...resolving, own }, records, isInside)
  const links = [...outside.errors, ...inside.errors, ...checkRemovedTargets(seed, records)]
  const lacking = completeNew(seed, records, {
    timeZone,
    firstDayOfWeek: catalog.firstDayOfWeek,
  })
  const twice = findDuplicates(seed, records)
  return {
    records,
    errors: [...seed.errors, ...wrong, ...links, ...keyless, ...mismatched, ...lacking, ...twice],
    isBlocked: outside.isBlocked || inside.isBlocked,
  }
}

type Options = {
  readonly pool: Pool
  readonly project: Project
  readonly timeZone: string
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
    const unloaded = { entities: new Set<string>(), records: new Set<string>() }
    const run: Run = { connection, catalog: project.catalog, timeZone, isUpdating, unloaded }
    const files: LoadedFile[] = []
    const found: SeedError[] = [...errors]
    for (const seed of seeds) {
      const result = await loadFile(run, await readSeed(project, seed))
      if ('errors' in result) {
        // The other files are still checked, so that all errors are reported together.
        for (const issue of result.errors) found.push(issue)
        continue
      }
      files.push(result)
      onProgress?.(result)
    }
    if (found.length > 0) throw startupErrorOf(found)
    if (files.some(({ inserted, updated }) => inserted > 0 || updated.length > 0))
      await follow(run, files)
    if (isPlan) await connection.query('ROLLBACK TO SAVEPOINT loading')
    return { files }
  })
}

/** Calculates what follows from other records, and raises counters above the numbers that the seeds give. */
const follow = async (run: Run, files: readonly LoadedFile[]): Promise<void> => {
  const { connection, catalog } = run
  for (const block of rollupBlocks(run)) await execute(connection, block)
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
