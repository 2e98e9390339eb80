/**
 * Loads a project's seed records: all files in one transaction, each record recognised by the first
 * unique index of its entity, so that loading again changes nothing (docs/seeds.md).
 */
import type { Pool } from '../database/pool.ts'
import { transaction } from '../database/transaction.ts'
import type { Project } from '../definitions/load-project.ts'
import { type LoadedFile, loadFile, type Run } from './load-file.ts'
import { type SeedFault, startFaultOf } from './seed-fault.ts'
import { listSeeds, readSeed } from './seed-file.ts'
import { hasNoRecords, lockSeeding } from './seed-store.ts'

type Options = {
  readonly pool: Pool
  readonly project: Project
  /** The zone in which times without an offset are read. */
  readonly timeZone: string
  /** Told of each file once its records are written; they are kept only when all files are. */
  readonly onProgress?: (loaded: LoadedFile) => void
}

/**
 * Answers with what was done per file, or throws a StartFault with every fault of every file; then
 * nothing was loaded. No history is written: seeds are the beginning, not a change.
 */
export const loadSeeds = async ({
  pool,
  project,
  timeZone,
  onProgress,
}: Options): Promise<{ files: LoadedFile[] }> => {
  const { seeds, faults } = await listSeeds(project)
  if (seeds.length === 0 && faults.length === 0) return { files: [] }
  return transaction(pool, async (connection) => {
    await lockSeeding(connection)
    const unloaded = { entities: new Set<string>(), records: new Set<string>() }
    const run: Run = { connection, catalog: project.catalog, timeZone, unloaded }
    const files: LoadedFile[] = []
    const found: SeedFault[] = [...faults]
    for (const seed of seeds) {
      const result = await loadFile(run, await readSeed(project, seed))
      if ('faults' in result) {
        // The other files are still tried, so that all faults are told at once.
        for (const fault of result.faults) found.push(fault)
        continue
      }
      files.push(result)
      onProgress?.(result)
    }
    if (found.length > 0) throw startFaultOf(found)
    return { files }
  })
}

/** Whether a project has seed files. */
export const hasSeeds = async (project: Project): Promise<boolean> => {
  const { seeds, faults } = await listSeeds(project)
  return seeds.length + faults.length > 0
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
  const judged = own.length > 0 ? own : [...entities].filter(({ key }) => key !== 'security_role')
  for (const entity of judged)
    if (!(await hasNoRecords(pool, entity, entity.key === 'user' ? 1 : 0))) return false
  return judged.length > 0
}
