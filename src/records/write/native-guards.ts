/** Guards of records of native entities against being written or linked to: a row for each guard. */
import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, ref, type Sql, sql, table, text } from '../../database/sql.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import { type NativeGuard, nativeEntity } from '../../definitions/native-entities.ts'
import { apiError } from '../../errors.ts'
import type { FieldIssue } from './check-values.ts'
import { type GuardedQuery, sharingGuard } from './sharing-guard.ts'
import type { Values } from './write-record.ts'

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
  /** Throws if the record may not be removed. */
  readonly checkRemoval?: (database: Queryable, guarded: Guarded, id: number) => Promise<void>
}

const isOfAdministrators = (alias: string): Sql =>
  sql`${ref('key', alias)} = ${text(administratorRole)}`

const guards: Readonly<Record<NativeGuard, Guard>> = {
  // Otherwise anyone who may change users could take over an administrator's account.
  administrators: {
    mayWrite: ({ isAdministrator }) =>
      isAdministrator
        ? sql`true`
        : sql`NOT EXISTS (
            SELECT FROM ${table('security_role')} r
            WHERE r.id = t.security_role_id AND ${isOfAdministrators('r')}
          )`,
  },
  sharing: sharingGuard,
  // Without this role no administrator could sign in. Only administrators make administrators.
  roles: {
    mayWrite: () => sql`NOT ${isOfAdministrators('t')}`,
    mayLink: ({ isAdministrator }) =>
      isAdministrator ? sql`true` : sql`NOT ${isOfAdministrators('r')}`,
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
  return (await queryRow<{ key: string }>(database, select))?.key
}
