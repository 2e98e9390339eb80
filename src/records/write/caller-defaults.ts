/** Defaults that a new record takes from the user who creates it. */
import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, join, ref, type Sql, sql, table } from '../../database/sql.ts'
import { type Catalog, type Column, type Entity, getEntity } from '../../definitions/catalog.ts'
import { isObject, type SqlValue } from '../../definitions/values/check-value.ts'
import { callerDefaultOf } from '../../definitions/values/field-defaults.ts'
import { kept } from '../../kept.ts'
import type { WriteContext } from './write-context.ts'
import type { Values } from './write-statements.ts'

/**
 * Those of the fields that the body does not name, and the user in every field that is one, which the body may give, too. A
 * linked record that was removed is none.
 */
export const readCallerDefaults = async (
  database: Queryable,
  { catalog, entity, userId, timeZone }: WriteContext,
  body: unknown,
): Promise<Values> => {
  const values = new Map<Column, SqlValue>(ownUserDefaults({ entity, userId }))
  const isGiven = ({ column }: Asked) => isObject(body) && Object.hasOwn(body, column.name)
  const others = callerDefaults(entity).filter((one) => !isCaller(one) && !isGiven(one))
  if (others.length === 0) return values
  const user = getEntity(catalog, 'user')
  const list = others.map((one) => sql`${cellOf(user, one)} AS ${ref(one.column.name)}`)
  const select = sql`SELECT ${join(list, ', ')} FROM ${table(user)} u WHERE u.id = ${int(userId)}`
  const row = await queryRow<Readonly<Record<string, SqlValue>>>(database, select)
  for (const { column } of others) {
    const verdict = column.type.check(row?.[column.name] ?? null, timeZone)
    if ('value' in verdict) values.set(column, verdict.value)
  }
  return values
}

/** Of the defaults those that are the user who creates the record. */
export const ownUserDefaults = ({
  entity,
  userId,
}: Pick<WriteContext, 'entity' | 'userId'>): Values =>
  new Map(callerDefaults(entity).flatMap((one) => (isCaller(one) ? [[one.column, userId]] : [])))

type Asked = { readonly column: Column; readonly name: string }

const callerDefaults = kept((entity: Entity): readonly Asked[] =>
  entity.columns.flatMap((column) => {
    const name = callerDefaultOf(column.field)
    return name === undefined ? [] : [{ column, name }]
  }),
)

/** What the row `u` of a user has. */
const cellOf = (user: Entity, { column, name }: Asked): Sql => {
  const source = user.associations.get(name) ?? user.columnsByName.get(name)
  const cell = ref(source?.name ?? name, 'u')
  return column.target === undefined
    ? cell
    : sql`(SELECT l.id FROM ${table(column.target)} l WHERE l.id = ${cell} AND NOT l._is_deleted)`
}

/** The default of a column as SQL, if it is of the caller. */
export const callerDefaultSql = (
  catalog: Catalog,
  column: Column,
  userId: number,
): Sql | undefined => {
  const name = callerDefaultOf(column.field)
  if (name === undefined) return undefined
  if (isCaller({ column, name })) return int(userId)
  const user = getEntity(catalog, 'user')
  return sql`(SELECT ${cellOf(user, { column, name })} FROM ${table(user)} u WHERE u.id = ${int(userId)})`
}

const isCaller = ({ column, name }: Asked): boolean => column.target === 'user' && name === 'id'

/** Whether a default is what the user has, and not the user alone. */
export const readsCallerDefaults = (entity: Entity): boolean =>
  callerDefaults(entity).some((one) => !isCaller(one))

/** The writer may link to what the definition takes from them, whatever they may read; a native record only if it is a user. */
export const linkingDefaults = (context: WriteContext, ofCaller: Values): WriteContext =>
  ofCaller.size === 0
    ? context
    : {
        ...context,
        references: (column, value) => {
          const isOwn = ofCaller.get(column) === value
          const target = context.catalog.entities.get(column.target ?? '')
          return isOwn && (target?.key === 'user' || target?.isNative === false)
            ? undefined
            : context.references(column, value)
        },
      }
