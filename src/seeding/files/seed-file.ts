/** Finds and reads the seed files of a project. */
import { isUtf8 } from 'node:buffer'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import { unreadable } from '../../definitions/source-file.ts'
import { suggestion } from '../../near-miss.ts'
import { readCsvSeed } from './read-csv-seed.ts'
import { readJsonSeed } from './read-json-seed.ts'
import type { SeedFile, SeedName } from './seed.ts'
import { compareFileNames, faultOfFile, type SeedFault } from './seed-fault.ts'

const namePattern = /^\d+-([a-z][a-z0-9_]*)\.(json|csv)$/

/** The seed files of a project in the order of loading, and a fault for each with another name. */
export const listSeeds = async ({
  directory,
  catalog,
}: Project): Promise<{ seeds: SeedName[]; faults: SeedFault[] }> => {
  const names = (await readFolder(join(directory, 'seed'))).filter((name) => !isAside(name))
  const seeds: SeedName[] = []
  const faults: SeedFault[] = []
  for (const name of names.sort(compareFileNames)) {
    const file = `seed/${name}`
    const [, key, format] = namePattern.exec(name) ?? []
    const entity = catalog.entities.get(key ?? '')
    if (entity) seeds.push({ file, entity, isText: format === 'csv' })
    else faults.push(faultOfFile(file, unknownFile(catalog, key)))
  }
  return { seeds, faults }
}

const readFolder = async (path: string): Promise<string[]> => {
  try {
    return await readdir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const isAside = (name: string): boolean => name.startsWith('.') || name.endsWith('.md')

const unknownFile = (catalog: Catalog, key: string | undefined): string =>
  key === undefined
    ? 'must be named <nn>-<entity key>.json or .csv, such as 03-supplier.csv'
    : `names no entity: there is no "${key}"${suggestion(key, catalog.entities.keys())}`

/** Reads one file; one that breaks has no records. */
export const readSeed = async (
  { directory, catalog }: Project,
  seed: SeedName,
): Promise<SeedFile> => {
  const { file } = seed
  const bytes = await readFile(join(directory, file)).catch((error: Error) => error)
  if (bytes instanceof Error)
    return broken(seed, { file, record: -1, finding: () => unreadable(file, bytes) })
  if (!isUtf8(bytes)) return broken(seed, faultOfFile(file, 'is not UTF-8; save it as such'))
  // Without the byte order mark that some programs put in front.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  return seed.isText ? readCsvSeed(catalog, seed, text) : readJsonSeed(catalog, seed, text)
}

const broken = (seed: SeedName, ...faults: SeedFault[]): SeedFile => ({
  ...seed,
  finding: (_, message) => faultOfFile(seed.file, message).finding(),
  records: [],
  isWhole: false,
  faults,
})
