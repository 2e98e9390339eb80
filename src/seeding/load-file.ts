/** Loads one seed file: check → resolve → match → complete → write. */
import type { Queryable } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { checkKeys, completeNew, findDuplicates } from './checks/check-records.ts'
import { checkSeed } from './checks/check-seed.ts'
import { errorOfFile, type Reference, type SeedError, type SeedFile } from './files/seed.ts'
import { keyOf, matchRecords } from './match-records.ts'
import {
  addUnloaded,
  checkRemovedTargets,
  ownIdsOf,
  resolveReferences,
  type Unloaded,
} from './references.ts'
import type { ChangedRecord } from './seed-store.ts'
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
export type Run = {
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
export const loadFile = async (run: Run, seed: SeedFile): Promise<LoadedFile | Refused> => {
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
  const lacking = completeNew(seed, records, timeZone)
  const twice = findDuplicates(seed, records)
  return {
    records,
    errors: [...seed.errors, ...wrong, ...links, ...keyless, ...mismatched, ...lacking, ...twice],
    isBlocked: outside.isBlocked || inside.isBlocked,
  }
}
