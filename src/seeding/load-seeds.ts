/**
 * Loads a project's seed records: all files in one transaction, each record identified by the first
 * unique index of its entity. Missing records are inserted; existing ones stay unless an update is
 * requested; records that users changed or removed are never touched (docs/seeds.md).
 */
import { execute, type Pool, type Queryable } from '../database/pool.ts'
import { transaction } from '../database/transaction.ts'
import type { Entity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import { rollupBlocks } from '../schema-sync/calculations/recalculate.ts'
import { type SeedError, startupErrorOf } from './files/seed.ts'
import { listSeeds, readSeed } from './files/seed-file.ts'
import { type LoadedFile, loadFile, type Run } from './load-file.ts'
import { hasNoRecords, lockSeeding } from './seed-store.ts'

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
      for (const block of rollupBlocks(project.catalog)) await execute(connection, block)
    if (isPlan) await connection.query('ROLLBACK TO SAVEPOINT loading')
    return { files }
  })
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
