/**
 * Loads a project's seed records: all files in one transaction, each record recognised by the first
 * unique index of its entity. What is not there is inserted, and what is there stays as it is, unless
 * an update is asked for; what people changed or removed is left to them (docs/seeds.md).
 */
import type { Pool, Queryable } from '../database/pool.ts'
import { transaction } from '../database/transaction.ts'
import type { Entity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import { type SeedError, startupErrorOf } from './files/seed-error.ts'
import { listSeeds, readSeed } from './files/seed-file.ts'
import { type LoadedFile, loadFile, type Run } from './load-file.ts'
import { hasNoRecords, lockSeeding } from './seed-store.ts'

type Options = {
  readonly pool: Pool
  readonly project: Project
  /** The zone in which times without an offset are read. */
  readonly timeZone: string
  /** Writes the records that differ from their seeds too, but those that people changed. */
  readonly isUpdating?: boolean
  /** Answers what would be done, and does nothing. */
  readonly isPlan?: boolean
  /** What is there before seeds are loaded; kept only with them. */
  readonly makeFirst?: (connection: Queryable) => Promise<void>
  /** Told of each file once its records are written; they are kept only when all files are. */
  readonly onProgress?: (loaded: LoadedFile) => void
}

/**
 * Answers with what was done per file, or throws a StartFault with every error of every file; then
 * nothing was loaded. New records have no history: seeds are the beginning; what an update changes is
 * told there, by no user.
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
        // The other files are still tried, so that all errors are told at once.
        for (const issue of result.errors) found.push(issue)
        continue
      }
      files.push(result)
      onProgress?.(result)
    }
    if (found.length > 0) throw startupErrorOf(found)
    if (isPlan) await connection.query('ROLLBACK TO SAVEPOINT loading')
    return { files }
  })
}

/**
 * Whether a project has seeds that were never loaded: none of the seeded entities of its own has a
 * record, not even a removed one. A project that seeds native entities only is judged by those.
 */
export const isUnseeded = async (pool: Pool, project: Project): Promise<boolean> => {
  const { seeds } = await listSeeds(project)
  const entities = new Set(seeds.map(({ entity }) => entity))
  const own = [...entities].filter(({ isNative }) => !isNative)
  // The start itself makes the roles and one user, the administrator.
  const madeAtStart = (entity: Entity) => nativeEntity(entity).madeAtStart ?? 0
  const judged =
    own.length > 0
      ? own
      : [...entities].filter((one) => madeAtStart(one) < Number.POSITIVE_INFINITY)
  for (const entity of judged)
    if (!(await hasNoRecords(pool, entity, madeAtStart(entity)))) return false
  return judged.length > 0
}
