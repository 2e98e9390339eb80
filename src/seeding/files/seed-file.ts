/** Finds and parses the seed files of a project. */
import { isUtf8 } from 'node:buffer'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import { unreadable } from '../../definitions/source-file.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { readCsvSeed } from './read-csv-seed.ts'
import { readJsonSeed } from './read-json-seed.ts'
import type { SeedFile, SeedName } from './seed.ts'
import { compareFileNames, errorOfFile, type SeedError } from './seed-error.ts'

const namePattern = /^\d+-([a-z][a-z0-9_]*)\.(json|csv)$/

/** The seed files of a project in the order of loading; other names are errors. */
export const listSeeds = async ({
  directory,
  catalog,
}: Project): Promise<{ seeds: SeedName[]; errors: SeedError[] }> => {
  const names = (await readFolder(join(directory, 'seed'))).filter((name) => !isAside(name))
  const seeds: SeedName[] = []
  const errors: SeedError[] = []
  for (const name of names.sort(compareFileNames)) {
    const file = `seed/${name}`
    const [, key, format] = namePattern.exec(name) ?? []
    const entity = catalog.entities.get(key ?? '')
    if (entity) seeds.push({ file, entity, isText: format === 'csv' })
    else errors.push(errorOfFile(file, unknownFile(catalog, key)))
  }
  return { seeds, errors }
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
    : `does not name an entity: there is no "${key}"${didYouMean(key, catalog.entities.keys())}`

/** Why a file is no text in UTF-8, and what it may be instead. */
const encodingIssue = (bytes: Buffer): string | undefined => {
  const begin = bytes.toString('latin1', 0, 2)
  if (begin === '\u00ff\u00fe' || begin === '\u00fe\u00ff' || begin.includes('\0'))
    return 'is UTF-16; save it as UTF-8'
  if (isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  const line = text.slice(0, text.indexOf('\ufffd')).split(/\r\n|\n|\r/).length
  return `is not UTF-8; save it as UTF-8: line ${line} has a character of another encoding, such as Windows-1252`
}

/** Parses one file; one with a syntax error has no records. */
export const readSeed = async (
  { directory, catalog }: Project,
  seed: SeedName,
): Promise<SeedFile> => {
  const { file } = seed
  const bytes = await readFile(join(directory, file)).catch((error: Error) => error)
  if (bytes instanceof Error)
    return broken(seed, { file, record: -1, finding: () => unreadable(file, bytes) })
  const encoded = encodingIssue(bytes)
  if (encoded !== undefined) return broken(seed, errorOfFile(file, encoded))
  // Without the byte order mark that some programs write.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  return seed.isText ? readCsvSeed(catalog, seed, text) : readJsonSeed(catalog, seed, text)
}

const broken = (seed: SeedName, ...errors: SeedError[]): SeedFile => ({
  ...seed,
  finding: (_, message) => errorOfFile(seed.file, message).finding(),
  records: [],
  isWhole: false,
  errors,
})
