/**
 * Loads a project's seed records: all files in one transaction, each record recognised by the first
 * unique index of its entity, so that loading again changes nothing (docs/seeds.md).
 */
import { type Connection, type Pool, queryRows } from '../database/pool.ts'
import { bound, identifier, raw, type Sql, sql, tableName, toStatement } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { type Column, type Entity, uniqueIndexes } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/check-value.ts'
import type { Project } from '../definitions/load-project.ts'
import { type Finding, printFinding } from '../definitions/source-file.ts'
import { errorText, StartFault } from '../errors.ts'
import { type CheckedSeed, checkSeed } from './check-seed.ts'
import { loadReferences } from './references.ts'
import { entityOfSeed, readSeedFiles, type SeedFile, seedFileNames } from './seed-file.ts'

type Options = { readonly pool: Pool; readonly project: Project; readonly timeZone: string }

export type LoadedFile = {
  readonly file: string
  readonly inserted: number
  readonly updated: number
  readonly unchanged: number
}

// Any number will do: held by the one process that seeds.
const seedLock = 7_305_114_003
const rowsAtOnce = 2000
const mostFindings = 50

/** Throws a StartFault with every fault of every file; then nothing was loaded. */
export const loadSeeds = async ({
  pool,
  project,
  timeZone,
}: Options): Promise<{ files: LoadedFile[] }> => {
  const findings: Finding[] = []
  const seeds = await readSeedFiles(project, findings)
  refuse(findings)
  return transaction(pool, async (connection) => {
    await connection.query(`SELECT pg_advisory_xact_lock(${seedLock})`)
    const files: LoadedFile[] = []
    for (const seed of seeds) {
      const references = await loadReferences(connection, project.catalog, seed)
      const before = findings.length
      const checked = checkSeed({ seed, references, timeZone, findings })
      // The other files are still checked, so that all faults are told at once.
      if (findings.length === before) files.push(await loadFile(connection, seed, checked))
    }
    refuse(findings)
    return { files }
  })
}

/** Whether a project has seeds and none of their own entities has a record yet. */
export const isUnseeded = async (pool: Pool, project: Project): Promise<boolean> => {
  const entities = (await seedFileNames(project))
    .map((name) => entityOfSeed(project, name))
    .filter((entity) => entity !== undefined && !entity.isNative)
  if (entities.length === 0) return false
  for (const entity of entities) {
    const { rows } = await pool.query(`SELECT FROM ${tableName(entity?.key ?? '')} LIMIT 1`)
    if (rows.length > 0) return false
  }
  return true
}

const refuse = (findings: readonly Finding[]) => {
  if (findings.length === 0) return
  const shown = findings.slice(0, mostFindings).map((finding) => `  ${printFinding(finding)}`)
  const more =
    findings.length > mostFindings ? [`  and ${findings.length - mostFindings} more`] : []
  throw new StartFault(
    `The seeds have ${findings.length} faults; nothing was loaded:\n${[...shown, ...more].join('\n')}`,
  )
}

const loadFile = async (
  connection: Connection,
  { file, entity }: SeedFile,
  checked: CheckedSeed,
): Promise<LoadedFile> => {
  let inserted = 0
  let updated = 0
  for (let start = 0; start < checked.rows.length; start += rowsAtOnce) {
    const rows = checked.rows.slice(start, start + rowsAtOnce)
    const statement = toStatement(upsert(entity, checked.columns, rows))
    for (const row of await run(connection, file, statement)) row.inserted ? inserted++ : updated++
  }
  if (checked.columns.some(({ name }) => name === 'id')) await moveSequence(connection, entity)
  return { file, inserted, updated, unchanged: checked.rows.length - inserted - updated }
}

const run = async (
  connection: Connection,
  file: string,
  statement: ReturnType<typeof toStatement>,
) => {
  try {
    return await queryRows<{ inserted: boolean }>(connection, statement)
  } catch (error) {
    const detail = (error as { detail?: string }).detail
    throw new StartFault(`${file} cannot be loaded: ${detail ?? errorText(error)}`, {
      cause: error,
    })
  }
}

/** One statement for many rows; a record that is there already is changed where it differs. */
const upsert = (
  entity: Entity,
  columns: readonly Column[],
  rows: readonly ReadonlyMap<Column, SqlValue>[],
): Sql => {
  const table = tableName(entity.key)
  const names = columns.map(({ name }) => identifier(name))
  const key = uniqueIndexes(entity)[0]?.columns ?? []
  const json = JSON.stringify(rows.map((row) => asRecord(columns, row)))
  const changing = columns.filter(({ name }) => !key.includes(name) && name !== 'id')
  const compared = (alias: string) =>
    changing
      .map(
        ({ name, type }) => `${alias}.${identifier(name)}${type.cast === 'json' ? '::text' : ''}`,
      )
      .join(', ')
  const sets = changing.map(({ name }) => `${identifier(name)} = excluded.${identifier(name)}`)
  const stamp = changing.some(({ name }) => name === '_updated_at') ? [] : ['_updated_at = now()']
  const conflict =
    changing.length === 0
      ? 'DO NOTHING'
      : `DO UPDATE SET ${[...sets, ...stamp, '_version = t._version + 1'].join(', ')} WHERE (${compared('t')}) IS DISTINCT FROM (${compared('excluded')})`
  const on = key.map(identifier).join(', ')
  return sql`INSERT INTO ${raw(`${table} AS t (${names.join(', ')})`)} SELECT ${raw(selected(entity, columns))} FROM json_populate_recordset(NULL::${raw(table)}, ${bound(json, 'json')}) r ON CONFLICT (${raw(on)}) WHERE NOT _is_deleted ${raw(conflict)} RETURNING xmax = 0 AS inserted`
}

/** System columns that a row leaves out get what the table would give them. */
const selected = (entity: Entity, columns: readonly Column[]): string =>
  columns
    .map(({ name }) => {
      const column = `r.${identifier(name)}`
      const fallback = systemFallbacks[name]?.(entity)
      return fallback === undefined ? column : `coalesce(${column}, ${fallback})`
    })
    .join(', ')

const systemFallbacks: Readonly<Record<string, (entity: Entity) => string>> = {
  id: ({ key }) => `nextval(pg_get_serial_sequence('${tableName(key)}', 'id'))`,
  _is_deleted: () => 'false',
  _created_at: () => 'now()',
  _updated_at: () => 'now()',
  _step: ({ definition }) => `'${definition.workflow?.initialStep ?? ''}'`,
}

const asRecord = (columns: readonly Column[], row: ReadonlyMap<Column, SqlValue>) =>
  Object.fromEntries(
    columns.map((column) => {
      const value = row.get(column) ?? null
      return [
        column.name,
        column.type.cast === 'json' && value !== null ? JSON.parse(String(value)) : value,
      ]
    }),
  )

const moveSequence = async (connection: Connection, entity: Entity) => {
  const table = bound(tableName(entity.key), 'text')
  const newest = raw(`(SELECT max(id) FROM ${tableName(entity.key)})`)
  await connection.query(
    toStatement(sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${newest})`),
  )
}
