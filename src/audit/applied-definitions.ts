/** Which definitions a start or `docket migrate` has applied, and an event of those that differ from the ones before. */
import { createHash } from 'node:crypto'
import { execute, type Pool, type Queryable, queryRows } from '../database/pool.ts'
import { sql, text } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { recordAudit } from './record-audit.ts'

type Project = { readonly catalog: Catalog; readonly settings: object }

/** A definition by its digests: of the whole, and of its parts by name. */
type Applied = {
  readonly kind: 'entity' | 'role' | 'project'
  readonly key: string
  readonly digest: string
  readonly parts: Readonly<Record<string, string>>
}

const nameOf = ({ kind, key }: Pick<Applied, 'kind' | 'key'>): string => `${kind} ${key}`

/** Stores which definitions are in use now. Processes that start at once store it once. */
export const storeApplied = async (pool: Pool, project: Project): Promise<void> => {
  const wanted = appliedOf(project)
  if (changesOf(await readApplied(pool), wanted).length === 0) return
  await transaction(pool, async (connection) => {
    await connection.query('LOCK TABLE docket.applied_definition IN EXCLUSIVE MODE')
    const changed = changesOf(await readApplied(connection), wanted)
    if (changed.length === 0) return
    await execute(connection, sql`DELETE FROM docket.applied_definition`)
    await execute(
      connection,
      sql`
        INSERT INTO docket.applied_definition (kind, key, digest, parts)
        SELECT a.kind, a.key, a.digest, a.parts
        FROM json_to_recordset(${text(JSON.stringify(wanted))}::json) AS
          a (kind text, key text, digest text, parts jsonb)`,
    )
    await recordAudit(connection, { kind: 'changeDefinitions', detail: { changed } })
  })
}

const appliedOf = ({ catalog, settings }: Project): readonly Applied[] => [
  ...[...catalog.entities.values()].map(({ key, definition }) =>
    digested('entity', key, definition),
  ),
  ...[...catalog.roles.values()].map((role) => digested('role', role.key, role)),
  digested('project', 'docket.json', settings),
]

const digested = (kind: Applied['kind'], key: string, definition: object): Applied => ({
  kind,
  key,
  digest: digestOf(definition),
  parts: Object.fromEntries(partsOf(definition).map(([name, part]) => [name, digestOf(part)])),
})

/** Properties, and below lists and objects what they have by key, such as `fields.total` and `permissions.order`. */
const partsOf = (definition: object): readonly (readonly [string, unknown])[] =>
  Object.entries(definition).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (typeof value !== 'object' || value === null) return [[name, value]]
    return Object.entries(value).map(([at, one]) => [`${name}.${keyOf(one) ?? at}`, one])
  })

const keyOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'key' in value && typeof value.key === 'string'
    ? value.key
    : undefined

// Long enough to tell versions apart, short enough to be read.
const digestCharacters = 12

const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, digestCharacters)

const readApplied = async (database: Queryable): Promise<readonly Applied[]> => {
  type Row = Omit<Applied, 'parts'> & { readonly parts: string }
  const rows = await queryRows<Row>(
    database,
    sql`SELECT a.kind, a.key, a.digest, a.parts FROM docket.applied_definition a`,
  )
  return rows.map((row) => ({ ...row, parts: JSON.parse(row.parts) }))
}

// A definition of which more parts differ was replaced as a whole.
const maxParts = 100

/** What differs, with the versions before and after; null: there was or is none. */
const changesOf = (before: readonly Applied[], after: readonly Applied[]) => {
  const earlier = new Map(before.map((one) => [nameOf(one), one]))
  const later = new Map(after.map((one) => [nameOf(one), one]))
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((name) => {
    const [from, to] = [earlier.get(name), later.get(name)]
    const one = to ?? from
    if (!one || from?.digest === to?.digest) return []
    const parts = from && to ? differing(from.parts, to.parts).slice(0, maxParts) : []
    return [
      { type: one.kind, key: one.key, from: from?.digest ?? null, to: to?.digest ?? null, parts },
    ]
  })
}

const differing = (before: Applied['parts'], after: Applied['parts']): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort()
