/** Finds and parses the seed files of a project. */

import { isUtf8 } from 'node:buffer'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import { type JsonPath, parseSourceFile, unreadable } from '../../definitions/source-file.ts'
import { isObject, kindOf } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { seedFolderOf } from './named-files.ts'
import { readCsvSeed } from './read-csv-seed.ts'
import {
  type Cell,
  compareFileNames,
  errorAt,
  errorOfFile,
  type Located,
  type RawRecord,
  resolveTarget,
  type SeedError,
  type SeedFile,
  type SeedName,
} from './seed.ts'

/** The records of a JSON text; values that are not records, and unknown names, are errors. */
const readJsonSeed = (catalog: Catalog, seed: SeedName, text: string): SeedFile => {
  const { source, findings } = parseSourceFile(seed.file, text)
  const errors: SeedError[] = findings.map((finding) => ({
    file: seed.file,
    record: -1,
    finding: () => finding,
  }))
  const { value } = source
  const located: Located = { file: seed.file, finding: source.finding }
  const isList = Array.isArray(value)
  if (value !== undefined && !isList)
    errors.push(errorAt(located, [], `must be an array of records, not ${kindOf(value)}`))
  const list: readonly unknown[] = isList ? value : []
  const records = list.flatMap((record, index) => {
    if (isObject(record)) return [readRecord({ catalog, seed, located, errors }, index, record)]
    errors.push(errorAt(located, [index], `must be an object of fields, not ${kindOf(record)}`))
    return []
  })
  return {
    ...seed,
    ...located,
    records,
    isWhole: isList && records.length === list.length,
    errors,
  }
}

type Reading = {
  readonly catalog: Catalog
  readonly seed: SeedName
  readonly located: Located
  readonly errors: SeedError[]
}

const readRecord = (
  { catalog, seed: { entity }, located, errors }: Reading,
  index: number,
  record: Record<string, unknown>,
): RawRecord => {
  const cells = new Map<Column, Cell>()
  const wrong: Column[] = []
  for (const [key, value] of Object.entries(record)) {
    const cell = cellOf(catalog, entity, { path: [index, key], value })
    const before = 'target' in cell ? cells.get(cell.target.column) : undefined
    if ('target' in cell && !before) {
      cells.set(cell.target.column, cell)
      continue
    }
    const message = 'target' in cell ? `is given twice, also as "${before?.path[1]}"` : cell.message
    errors.push(errorAt(located, 'target' in cell ? [index, key] : cell.path, message))
    const association = entity.associations.get(key)
    if (association) wrong.push(association)
  }
  return { index, cells: [...cells.values()], wrong }
}

type Given = { readonly path: readonly [number, string]; readonly value: unknown }

const cellOf = (
  catalog: Catalog,
  entity: Entity,
  { path, value }: Given,
): Cell | { readonly path: JsonPath; readonly message: string } => {
  const [, key] = path
  const association = entity.associations.get(key)
  // An association that is null.
  if (association && value === null)
    return { target: { column: association, by: undefined }, value, path }
  const named = association && isObject(value) ? Object.entries(value) : undefined
  if (named && named.length !== 1)
    return {
      path,
      message: `must name one unique field of ${association?.target}, not ${named.length}`,
    }
  const [[field, inner] = [undefined, value]] = named ?? []
  const at: JsonPath = field === undefined ? path : [...path, field]
  const target = resolveTarget(catalog, { entity, key, field })
  return 'column' in target
    ? { target, value: inner, path: at }
    : { path: at, message: target.message }
}

const namePattern = /^\d+-([a-z][a-z0-9_]*)\.(json|csv)$/

/** The seed files of a project in the order of loading; other names are errors. */
export const listSeeds = async ({
  directory,
  catalog,
}: Project): Promise<{ seeds: SeedName[]; errors: SeedError[] }> => {
  const names = (await readFolder(seedFolderOf(directory))).filter((name) => !isAside(name))
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

/** The names of its files; folders have what the seeds name. */
const readFolder = async (path: string): Promise<string[]> => {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
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
