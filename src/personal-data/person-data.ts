/** What is stored about a user: their record, what links to it, and what the service keeps for them, without secrets. */
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { int, join, raw, ref, sql, table, text } from '../database/sql.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import type { Access } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { recordList } from '../query/record-list.ts'
import { accessToSelf } from '../query/user-visibility.ts'
import { isOfUser, type Shown, type UserTable, userTable, userTables } from './user-tables.ts'

type Asked = {
  readonly catalog: Catalog
  readonly timeZone: string
  /** What the caller may read. */
  readonly access: Access
  readonly isAdministrator: boolean
  readonly userId: number
}

/** The most rows of a table, and ids of a link, that are listed; the numbers are those of all. */
export const maxListed = 1000

type Linked = {
  readonly entity: string
  readonly field: string
  readonly rows: number
  readonly ids: readonly number[]
}

type Kept = {
  readonly table: string
  readonly rows: number
  readonly data: readonly Readonly<Record<string, unknown>>[]
}

export type PersonData = {
  readonly user: Readonly<Record<string, unknown>>
  readonly links: readonly Linked[]
  readonly kept: readonly Kept[]
}

/** Everything of one user; undefined if there is none. Call it in one read transaction. */
export const findPersonData = async (
  database: Queryable,
  asked: Asked,
): Promise<PersonData | undefined> => {
  const user = await findUserRecord(database, asked)
  if (!user) return undefined
  const links: Linked[] = []
  for (const entity of asked.catalog.entities.values())
    links.push(...(await findLinks(database, asked, entity)))
  const kept: Kept[] = []
  for (const one of userTables) kept.push(await findRows(database, asked, one))
  return { user, links, kept: kept.filter(({ rows }) => rows > 0) }
}

/** Without the fields that the role of the caller hides, also of themselves. */
const findUserRecord = async (
  database: Queryable,
  { catalog, timeZone, access: own, userId }: Asked,
) => {
  const entity = getEntity(catalog, 'user')
  const access = accessToSelf(own)
  const json = raw(recordList({ catalog, entity, access, timeZone, includes: [] }).json)
  const select = sql`SELECT ${json} AS json FROM ${table(entity)} t WHERE t.id = ${int(userId)}`
  const row = await queryRow<{ json: string }>(database, select)
  return row && (JSON.parse(row.json) as Readonly<Record<string, unknown>>)
}

const findLinks = async (
  database: Queryable,
  { access, userId }: Asked,
  entity: Entity,
): Promise<readonly Linked[]> => {
  const readable = compileScope(access.readScope(entity), entity.hasOwner, 't')
  const columns = [...entity.associations.values()].filter(
    (column) => column.target === 'user' && access.maySee(entity, column),
  )
  const found: Linked[] = []
  for (const { name, field } of columns) {
    const select = sql`
      SELECT count(*) AS rows, (array_agg(t.id ORDER BY t.id))[:${int(maxListed)}] AS ids
      FROM ${table(entity)} t
      WHERE ${ref(name, 't')} = ${int(userId)} AND ${readable}`
    const row = await queryRow<Pick<Linked, 'rows' | 'ids'>>(database, select)
    if (row && row.rows > 0) found.push({ entity: entity.key, field: field.key, ...row })
  }
  return found
}

const findRows = async (
  database: Queryable,
  { userId, isAdministrator }: Asked,
  one: UserTable,
): Promise<Kept> => {
  const isShown = !one.isForAdministrators || isAdministrator
  const sqlOf = ([, value]: Shown) => (typeof value === 'string' ? raw(value) : value(userId))
  const members = one.shown.map((shown) => sql`${text(shown[0])}, ${sqlOf(shown)}`)
  const found = await queryRows<{ json: string; rows: number }>(
    database,
    sql`
      SELECT json_build_object(${join(members, ', ')})::text AS json, count(*) OVER () AS rows
      FROM ${userTable(one)} t
      WHERE ${isOfUser(one, 't', userId)}
      ORDER BY ${sqlOf(one.shown[0])} DESC
      LIMIT ${int(isShown ? maxListed : 1)}`,
  )
  const data = isShown ? found.map(({ json }) => JSON.parse(json)) : []
  return { table: one.name, rows: found[0]?.rows ?? 0, data }
}
