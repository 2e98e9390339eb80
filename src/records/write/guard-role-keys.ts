/**
 * The key of a security role is what a file of the project grants rights to: a role that has a file
 * keeps its key, and no other role gets it.
 */
import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, sql, table } from '../../database/sql.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { apiError } from '../../errors.ts'
import { RefusedWrite } from './refusal.ts'

type Guarded = { readonly catalog: Catalog; readonly entity: Entity }

/** Throws a RefusedWrite where values take or change the key of a role with a file; `id` of a record that is there. */
export const guardRoleKey = async (
  database: Queryable,
  { catalog, entity }: Guarded,
  values: ReadonlyMap<Column, SqlValue>,
  id?: number,
): Promise<void> => {
  const wanted = keyIn(entity, values)
  if (wanted === undefined) return
  const held = id === undefined ? undefined : await findKey(database, id)
  if (wanted === held) return
  const [fixed] = [held, wanted].filter((key) => key !== undefined && hasFile(catalog, key))
  if (fixed === undefined) return
  const message = `"${fixed}" is the key of a role of the project (${fileOf(fixed)}): it is neither changed nor given to another role`
  throw new RefusedWrite(values, [{ path: 'key', message, rule: 'conflict' }])
}

/** Throws an error 403 where the record is a role with a file: the next start would make it again. */
export const guardRoleRemoval = async (
  database: Queryable,
  { catalog, entity }: Guarded,
  id: number,
): Promise<void> => {
  const key = entity.key === 'security_role' ? await findKey(database, id) : undefined
  if (key !== undefined && hasFile(catalog, key))
    throw apiError(
      'caller.forbidden',
      `"${key}" is a role of the project (${fileOf(key)}): remove its file instead.`,
    )
}

const keyIn = (entity: Entity, values: ReadonlyMap<Column, SqlValue>): string | undefined => {
  const column = entity.key === 'security_role' ? entity.columnsByName.get('key') : undefined
  const key = column && values.get(column)
  return typeof key === 'string' ? key : undefined
}

const hasFile = ({ roles }: Catalog, key: string): boolean =>
  key === administratorRole || roles.has(key)

const fileOf = (key: string): string =>
  key === administratorRole ? 'built in' : `roles/${key}.json`

const findKey = async (database: Queryable, id: number): Promise<string | undefined> => {
  const select = sql`SELECT key FROM ${table('security_role')} WHERE id = ${int(id)}`
  const row = await queryRow<{ key: string }>(database, select)
  return row?.key
}
