/** Guards of records of native entities against being written or linked to: a row for each guard. */
import { type Queryable, queryCount, queryRow, queryValue } from '../../database/pool.ts'
import { int, join, notDeleted, ref, type Sql, sql, table, text } from '../../database/sql.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import { type NativeGuard, nativeEntity, type Sharing } from '../../definitions/native-entities.ts'
import { isObject, kindOf, type SqlValue } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { ApiError, apiError } from '../../errors.ts'
import type { Issue } from '../../issues.ts'
import type { Access } from '../../query/access.ts'
import { parseCriteria } from '../../query/criteria/parse-criteria.ts'
import { planSelect } from '../../query/plan-select.ts'
import { countAdministrators, lockAdministrators } from '../../users/user-store.ts'
import { type FieldIssue, refused } from './check-values.ts'
import type { Values } from './write-statements.ts'

/** Whose queries are saved, and what they may share. */
type GuardedQuery = {
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

const sharingGuard = {
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
  return (await queryCount(database, select)) >= maxOfUser
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

type Guarded = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly isAdministrator: boolean
  /** Whether the role may change every record of the entity. */
  readonly changesAll: boolean
}

type GuardedWrite = Guarded & GuardedQuery

type Guard = {
  /** Whether the record `t` may be written. */
  readonly mayWrite: (guarded: Guarded) => Sql
  /** Whether a value may link to the record `r`. */
  readonly mayLink?: (guarded: Pick<Guarded, 'isAdministrator'>) => Sql
  /** Issues of the values; `id` of an existing record. */
  readonly findIssues?: (
    database: Queryable,
    guarded: GuardedWrite,
    values: Values,
    id?: number,
  ) => Promise<readonly FieldIssue[]>
  readonly checkRemoval?: (database: Queryable, guarded: Guarded, id: number) => Promise<void>
  /** Whether the record `t` makes a user an administrator: then a write of it leaves another one, or nothing is written. */
  readonly makesAdministrator?: Sql
}

const isOfAdministrators = (alias: string): Sql =>
  sql`${ref('key', alias)} = ${text(administratorRole)}`

const linksToAdministrators = sql`EXISTS (
    SELECT FROM ${table('security_role')} r
    WHERE r.id = t.security_role_id AND ${isOfAdministrators('r')}
  )`

const isAdministratorUser = sql`(${linksToAdministrators} OR EXISTS (
    SELECT FROM ${table('user_role')} f
    JOIN ${table('security_role')} r ON r.id = f.security_role_id
    WHERE f.user_id = t.id AND ${notDeleted('f')} AND ${isOfAdministrators('r')}
  ))`

/** Users whose first role was removed may not call, whatever further roles they have. */
const isFirstOfAdministrators = sql`EXISTS (
    SELECT FROM ${table('user')} u
    JOIN ${table('user_role')} f ON f.user_id = u.id AND ${notDeleted('f')}
    JOIN ${table('security_role')} r ON r.id = f.security_role_id
    WHERE u.security_role_id = t.id AND ${isOfAdministrators('r')}
  )`

/** What a user is known by when they sign in. */
const signInFields: readonly string[] = ['email', 'identity_provider_user_id']

const guards: Readonly<Record<NativeGuard, Guard>> = {
  // Otherwise anyone who may change users could take over an administrator's account.
  administrators: {
    mayWrite: ({ isAdministrator }) =>
      isAdministrator ? sql`true` : sql`NOT ${isAdministratorUser}`,
    makesAdministrator: isAdministratorUser,
    // And every account, by an address that a code or an issuer signs in with. Also one's own: in a browser that was left open, a new
    // address and a code sent to it would be a way to sign in that nobody has given a proof for.
    findIssues: async (database, { entity, isAdministrator }, values, id) => {
      if (isAdministrator || id === undefined) return []
      const given = [...values].filter(([{ name }]) => signInFields.includes(name))
      if (given.length === 0) return []
      const columns = given.map(([{ name }]) => ref(name, 't'))
      const held = await queryRow<Record<string, SqlValue>>(
        database,
        sql`SELECT ${join(columns, ', ')} FROM ${table(entity)} t WHERE t.id = ${int(id)}`,
      )
      const changed = given.find(([{ name }, value]) => held?.[name] !== value)
      if (changed)
        throw apiError(
          'caller.forbidden',
          `Only administrators change the ${changed[0].name} of a user, because people sign in by it.`,
        )
      return []
    },
  },
  furtherRoles: {
    mayWrite: ({ isAdministrator }) =>
      isAdministrator ? sql`true` : sql`NOT ${linksToAdministrators}`,
    makesAdministrator: linksToAdministrators,
  },
  sharing: sharingGuard,
  // Without this role no administrator could sign in. Only administrators make administrators.
  roles: {
    mayWrite: () => sql`NOT ${isOfAdministrators('t')}`,
    mayLink: ({ isAdministrator }) =>
      isAdministrator ? sql`true` : sql`NOT ${isOfAdministrators('r')}`,
    makesAdministrator: isFirstOfAdministrators,
    findIssues: async (database, { catalog, entity }, values, id) => {
      const column = entity.columnsByName.get('key')
      const wanted = column && values.get(column)
      if (typeof wanted !== 'string') return []
      const held = id === undefined ? undefined : await findKey(database, entity, id)
      if (wanted === held) return []
      const fixed = [held, wanted].find((key) => key !== undefined && hasFile(catalog, key))
      if (fixed === undefined) return []
      const message = `"${fixed}" is the key of a role of the project (${fileOf(fixed)}): it can be neither changed nor given to another role`
      return [{ path: 'key', message, rule: 'conflict' }]
    },
    // The next start would create it again.
    checkRemoval: async (database, { catalog, entity }, id) => {
      const key = await findKey(database, entity, id)
      if (key !== undefined && hasFile(catalog, key))
        throw apiError(
          'caller.forbidden',
          `"${key}" is a role of the project (${fileOf(key)}): remove its file instead.`,
        )
    },
  },
}

const guardOf = (entity: Pick<Entity, 'key'>): Guard | undefined => {
  const { guard } = nativeEntity(entity)
  return guard && guards[guard]
}

/** Whether the guard lets the caller write the record `t`. */
export const mayWrite = (guarded: Guarded): Sql =>
  guardOf(guarded.entity)?.mayWrite(guarded) ?? sql`true`

/** Whether the guard lets the caller link to the record `r`; undefined without a guard. */
export const mayLink = (entity: Entity, isAdministrator: boolean): Sql | undefined =>
  guardOf(entity)?.mayLink?.({ isAdministrator })

/** Issues that the guard finds in the values; `id` of an existing record. */
export const findGuardIssues = async (
  database: Queryable,
  guarded: GuardedWrite,
  values: Values,
  id?: number,
): Promise<readonly FieldIssue[]> =>
  (await guardOf(guarded.entity)?.findIssues?.(database, guarded, values, id)) ?? []

/** Throws an error 403 if the guard does not let the record be removed. */
export const checkRemoval = async (
  database: Queryable,
  guarded: Guarded,
  id: number,
): Promise<void> => guardOf(guarded.entity)?.checkRemoval?.(database, guarded, id)

/**
 * Before a write of a record that makes an administrator: what to ask after it, which throws an error 403 if there is none left who may
 * call. Of two administrators who deactivate each other at once, the second one waits here, and is refused.
 */
export const keepAdministrator = async (
  database: Queryable,
  entity: Entity,
  id: number,
): Promise<(() => Promise<void>) | undefined> => {
  const makes = guardOf(entity)?.makesAdministrator
  if (!makes) return undefined
  const select = sql`SELECT FROM ${table(entity)} t WHERE t.id = ${int(id)} AND ${makes}`
  if (!(await queryRow(database, select))) return undefined
  await lockAdministrators(database)
  return async () => {
    if ((await countAdministrators(database)) === 0)
      throw apiError(
        'caller.forbidden',
        'This would leave no active administrator: make another user one first.',
      )
  }
}

const hasFile = ({ roles }: Catalog, key: string): boolean =>
  key === administratorRole || roles.has(key)

const fileOf = (key: string): string =>
  key === administratorRole ? 'built in' : `roles/${key}.json`

const findKey = async (
  database: Queryable,
  entity: Entity,
  id: number,
): Promise<string | undefined> => {
  const select = sql`SELECT t.key FROM ${table(entity)} t WHERE t.id = ${int(id)}`
  return queryValue<string>(database, select)
}
