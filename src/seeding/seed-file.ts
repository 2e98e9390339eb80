/** Reads seed files, JSON or CSV, into rows that know where each of their values stands. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import type { Entity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import { type Finding, parseSourceFile } from '../definitions/source-file.ts'
import { suggestion } from '../near-miss.ts'

/** One record of a seed: values by name, as JSON; `finding` points at a name of it. */
export type SeedRow = {
  readonly values: Readonly<Record<string, unknown>>
  readonly finding: (name: string, message: string) => Finding
}

export type SeedFile = {
  readonly file: string
  readonly entity: Entity
  /** Values of CSV are text that has still to be read by its field's type. */
  readonly isText: boolean
  readonly rows: readonly SeedRow[]
}

const namePattern = /^\d+-([a-z][a-z0-9_]*)\.(json|csv)$/

/** The names of a project's seed files in the order of loading. */
export const seedFileNames = async ({ directory }: Project): Promise<string[]> => {
  const folder = join(directory, 'seed')
  if (!existsSync(folder)) return []
  return (await readdir(folder)).filter((name) => /\.(json|csv)$/.test(name)).sort()
}

/** Reads them all; what cannot be read is a finding. */
export const readSeedFiles = async (project: Project, findings: Finding[]): Promise<SeedFile[]> => {
  const files: SeedFile[] = []
  for (const name of await seedFileNames(project)) {
    const file = `seed/${name}`
    const entity = entityOf(project, name, findings)
    if (!entity) continue
    const text = (await readFile(join(project.directory, file), 'utf8')).replace(/^\uFEFF/, '')
    const isText = name.endsWith('.csv')
    const rows = isText ? readCsv(file, text, findings) : readJson(file, text, findings)
    files.push({ file, entity, isText, rows })
  }
  return files
}

/** The entity that a file's name says, such as `03-supplier.csv`. */
export const entityOfSeed = (project: Project, name: string): Entity | undefined =>
  project.catalog.entities.get(namePattern.exec(name)?.[1] ?? '')

const entityOf = (project: Project, name: string, findings: Finding[]): Entity | undefined => {
  const key = namePattern.exec(name)?.[1]
  const known = project.catalog.entities
  const entity = entityOfSeed(project, name)
  if (entity) return entity
  const message =
    key === undefined
      ? 'must be named <nn>-<entity key>.json or .csv, such as 03-supplier.csv'
      : `names no entity: there is no "${key}"${suggestion(key, known.keys())}`
  findings.push({ file: `seed/${name}`, line: 1, column: 1, path: '', message, severity: 'error' })
  return undefined
}

const readJson = (file: string, text: string, findings: Finding[]): SeedRow[] => {
  const { source, findings: broken } = parseSourceFile(file, text)
  findings.push(...broken)
  if (source.value === undefined) return []
  if (!Array.isArray(source.value)) {
    findings.push(source.finding([], 'must be an array of objects'))
    return []
  }
  return source.value.flatMap((row: unknown, index): SeedRow[] => {
    if (typeof row === 'object' && row !== null && !Array.isArray(row))
      return [
        {
          values: row as Record<string, unknown>,
          finding: (name, message) => source.finding([index, name], message),
        },
      ]
    findings.push(source.finding([index], 'must be an object'))
    return []
  })
}

type CsvRecord = {
  readonly record: Record<string, string | null>
  readonly info: { lines: number }
}

const readCsv = (file: string, text: string, findings: Finding[]): SeedRow[] => {
  const at = (line: number, path: string, message: string): Finding => ({
    file,
    line,
    column: 1,
    path,
    message,
    severity: 'error',
  })
  try {
    const records = parse(text, {
      columns: true,
      info: true,
      skip_empty_lines: true,
      // An empty field is null, an empty text is written as "".
      cast: (value, { header, quoting }) => (value === '' && !quoting && !header ? null : value),
    }) as unknown as CsvRecord[]
    return records.map(({ record, info }) => ({
      values: record,
      finding: (name, message) => at(info.lines, name, message),
    }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    findings.push(at(Number(error.lines ?? 1), '', `is not valid CSV: ${error.message}`))
    return []
  }
}
