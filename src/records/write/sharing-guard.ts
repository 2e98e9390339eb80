/**
 * The guard of records that can be shared, which are saved views: who may share them, and that their criteria
 * and columns can be run by whoever saves them.
 */
import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, join, notDeleted, ref, type Sql, sql, table } from '../../database/sql.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { nativeEntity, type Sharing } from '../../definitions/native-entities.ts'
import { kindOf, type SqlValue } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { ApiError, apiError, type Issue } from '../../errors.ts'
import type { Access } from '../../query/access.ts'
import { parseCriteria } from '../../query/criteria/parse-criteria.ts'
import { planSelect } from '../../query/plan-select.ts'
import type { FieldIssue } from './check-values.ts'
import type { Values } from './write-record.ts'

/** Whose queries are saved, and what they may share. */
export type GuardedQuery = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  readonly timeZone: string
  readonly userId: number
  readonly changesAll: boolean
}

/** The keys of criteria that may be saved. */
const keptKeys = ['$where', '$search', '$orderBy']

/** The most records of one user; a console needs some dozens. */
const maxOfUser = 1000

type State = Readonly<Record<string, SqlValue | undefined>>

/** The row of the guard (native-guards.ts). */
export const sharingGuard = {
  /** What others rely on is changed only by those who could share it. */
  mayWrite: ({ entity, changesAll }: Pick<GuardedQuery, 'entity' | 'changesAll'>): Sql =>
    changesAll ? sql`true` : sql`${ref(sharingOf(entity).audience, 't')} = 'me'`,
  findIssues: async (
    database: Queryable,
    guarded: GuardedQuery,
    values: Values,
    id?: number,
  ): Promise<readonly FieldIssue[]> => {
    const by = sharingOf(guarded.entity)
    const given: State = Object.fromEntries([...values].map(([{ name }, value]) => [name, value]))
    const held = id === undefined ? undefined : await findState(database, guarded.entity, id)
    const state: State = { ...held, ...given }
    if (state[by.audience] !== 'me' && !guarded.changesAll)
      throw apiError(
        'caller.forbidden',
        `To share a ${guarded.entity.key} your role needs the permission "update" on all of them.`,
      )
    if (id === undefined && (await hasMany(database, guarded)))
      return [refused('', `cannot be created: you have ${maxOfUser} already`)]
    const isChecked = [by.entityKey, by.criteria, by.paths].some((name) => name in given)
    return [
      ...(state[by.audience] === 'role' && (state[by.role] ?? null) === null
        ? [refused(by.role, 'is required to share with a role')]
        : []),
      ...(isChecked ? checkQuery(guarded, by, state) : []),
    ]
  },
}

const refused = (path: string, message: string): FieldIssue => ({ path, message, rule: 'refused' })

const sharingOf = (entity: Entity): Sharing => {
  const { sharing } = nativeEntity(entity)
  if (!sharing) throw new Error(`Records of ${entity.key} cannot be shared.`)
  return sharing
}

const findState = (database: Queryable, entity: Entity, id: number): Promise<State | undefined> => {
  const columns = Object.values(sharingOf(entity)).map((name) => ref(name, 't'))
  const select = sql`SELECT ${join(columns, ', ')} FROM ${table(entity)} t WHERE t.id = ${int(id)}`
  return queryRow<Record<string, SqlValue>>(database, select)
}

const hasMany = async (
  database: Queryable,
  { entity, userId }: Pick<GuardedQuery, 'entity' | 'userId'>,
): Promise<boolean> => {
  const select = sql`
    SELECT count(*) AS count
    FROM ${table(entity)} t
    WHERE t._created_by = ${int(userId)} AND ${notDeleted('t')}`
  const row = await queryRow<{ count: number }>(database, select)
  return row !== undefined && row.count >= maxOfUser
}

/** The issues of criteria and columns, by the rules of a search of the same caller. */
const checkQuery = ({ catalog, access, timeZone }: GuardedQuery, by: Sharing, state: State) => {
  const key = String(state[by.entityKey])
  const isReadable = (one: Entity) => access.readScope(one) !== 'none'
  const target = catalog.entities.get(key)
  if (!target || !isReadable(target)) {
    const known = [...catalog.entities.values()].filter(isReadable).map((one) => one.key)
    const message = `there is no entity of this key that you may read${didYouMean(key, known)}`
    return [refused(by.entityKey, message)]
  }
  const columns = parsed(state[by.paths])
  if (columns !== null && !isPathList(columns))
    return [refused(by.paths, `must be a list of paths, not ${kindOf(columns)}`)]
  const criteria = parsed(state[by.criteria])
  if (criteria !== null && !isObject(criteria))
    return [refused(by.criteria, `must be an object, not ${kindOf(criteria)}`)]
  const other = Object.keys(criteria ?? {}).find((name) => !keptKeys.includes(name))
  if (other !== undefined)
    return [refused(`${by.criteria}.${other}`, `is not kept; what is: ${keptKeys.join(', ')}`)]
  return issuesOf(() => {
    const wanted = parseCriteria({ ...criteria, ...(columns !== null && { $select: columns }) })
    const paths = (wanted.select ?? []).map((path, index) => ({ path, at: `$select[${index}]` }))
    const planned = {
      catalog,
      entity: target,
      access,
      timeZone,
      scope: 'all',
      page: undefined,
    } as const
    planSelect({ ...planned, criteria: wanted, columns: paths })
  }).map(({ path, message }) => refused(placeOf(by, path), message))
}

const parsed = (value: SqlValue | undefined): unknown =>
  typeof value === 'string' ? JSON.parse(value) : null

const isPathList = (value: unknown): boolean => Array.isArray(value) && value.length > 0

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const placeOf = (by: Sharing, path: string): string =>
  path.startsWith('$select') ? path.replace('$select', by.paths) : `${by.criteria}.${path}`

const issuesOf = (check: () => void): readonly Issue[] => {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof ApiError && error.code === 'criteria.invalid') return error.errors
    throw error
  }
}
