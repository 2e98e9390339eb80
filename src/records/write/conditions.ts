/**
 * Conditions of a write, decided by the database that has the record: those of a role on the records that it may write,
 * and the validations of an entity, which a record meets once it is written.
 */
import type { RecordRight } from '../../auth/entity-rights.ts'
import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, join, ref, sql, table } from '../../database/sql.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import type { ValidationDefinition } from '../../definitions/schemas/entity-definition.ts'
import type { ConditionalRight } from '../../definitions/schemas/role-definition.ts'
import { apiError } from '../../errors.ts'
import { compileScope } from '../../query/compile-scope.ts'
import { comparedPaths, printCompared, withMessage } from '../../query/conditions/compared-paths.ts'
import { findUnmet, parsedCondition } from '../../query/conditions/decide-conditions.ts'
import { validationCondition } from '../../query/conditions/validation-condition.ts'
import { type Condition, fieldsIn } from '../../query/criteria/criteria.ts'
import type { FieldIssue } from './check-values.ts'
import { grantedBy, type RoleGrant, type WriteContext } from './write-context.ts'
import { WriteRejected } from './write-rejected.ts'

/** The condition of a permission, of each role that has one. */
export const conditionsOf = (
  { conditions, roles = [] }: Pick<WriteContext, 'conditions' | 'roles'>,
  right: ConditionalRight,
): readonly Condition[] =>
  [conditions, ...roles.map(({ rights }) => rights.conditions)].flatMap(
    ({ [right]: definition }) => (definition ? [parsedCondition(definition)] : []),
  )

/** Whether the caller has already written the record, in the same transaction. */
type When = 'before' | 'after'

/**
 * Throws an error 403 unless the record meets the condition of the permission, if it has one. Of a locked record it is
 * asked by a statement after the lock, which sees what the last writer has committed. Of several roles, those that grant the
 * write are left in the context that is returned.
 */
export const requireCondition = async (
  database: Queryable,
  context: WriteContext,
  right: ConditionalRight,
  id: number,
  when: When = right === 'create' ? 'after' : 'before',
): Promise<WriteContext> => {
  if (context.roles)
    return requireGrant(database, { ...context, roles: context.roles }, right, id, when)
  const [condition] = conditionsOf(context, right)
  if (!condition) return context
  const { entity } = context
  const unmet = await findUnmet(database, context, { entity, id }, new Map([[right, condition]]))
  if (unmet.size === 0) return context
  throw unmetOf(context, { condition, right, id, when, message: context.messages[right] })
}

type Unmet = {
  readonly condition: Condition
  readonly right: ConditionalRight
  readonly id: number
  readonly when: When
  readonly message: string | undefined
}

const unmetOf = (context: WriteContext, { condition, right, id, when, message }: Unmet) => {
  const { entity } = context
  const on = printCompared(comparedPaths(context, condition))
  const record = right === 'create' ? `this record of ${entity.key}` : `${entity.key} ${id}`
  const would = when === 'after' ? 'would not hold then' : 'does not hold'
  return apiError(
    'caller.condition-not-met',
    withMessage(
      `The permission "${right}" of your role does not include ${record}: its condition${on} ${would}.`,
      message,
    ),
  )
}

/** The same for each of several roles, which must also grant the write by itself: one that does is enough. */
const requireGrant = async (
  database: Queryable,
  context: WriteContext & { readonly roles: readonly RoleGrant[] },
  right: ConditionalRight,
  id: number,
  when: When,
): Promise<WriteContext> => {
  const reaching =
    when === 'before' && right !== 'create'
      ? await rolesReaching(database, context, right, id)
      : context.roles
  const asked = new Map(
    reaching.flatMap((role) => {
      const { [right]: definition } = role.rights.conditions
      return definition ? [[role, parsedCondition(definition)] as const] : []
    }),
  )
  const unmet = await findUnmet(database, context, { entity: context.entity, id }, asked)
  const granting = reaching.filter((role) => !unmet.has(role))
  if (granting.length > 0) return grantedBy(context, granting)
  const [[role, condition] = []] = asked
  if (!role || !condition)
    throw apiError(
      'caller.forbidden',
      `The permission does not include ${context.entity.key} ${id}.`,
    )
  throw unmetOf(context, { condition, right, id, when, message: role.messages[right] })
}

/** Of several roles, those of which a right covers a record that the same role reads. */
export const rolesReaching = async (
  database: Queryable,
  { entity, roles = [] }: Pick<WriteContext, 'entity' | 'roles'>,
  right: RecordRight,
  id: number,
): Promise<readonly RoleGrant[]> => {
  const reaches = roles.map(({ scopeOf }, at) => {
    const [scope, read] = [scopeOf(right), scopeOf('read')].map((one) =>
      compileScope(one, entity.hasOwner, 't'),
    )
    return sql`(${scope ?? sql`false`} AND ${read ?? sql`false`}) AS ${ref(`r${at}`)}`
  })
  const select = sql`SELECT ${join(reaches, ', ')} FROM ${table(entity)} t WHERE t.id = ${int(id)}`
  const row = await queryRow<Readonly<Record<string, boolean | null>>>(database, select)
  return roles.filter((_, at) => row?.[`r${at}`] === true)
}

type Validation = { readonly definition: ValidationDefinition; readonly condition: Condition }

/** Those that a write of some columns may break; undefined: all columns. */
const validationsOf = (
  { definition, columnsByName, associations }: Entity,
  written: readonly Pick<Column, 'name'>[] | undefined,
): readonly Validation[] => {
  const names = written && new Set(written.map(({ name }) => name))
  const isAffected = (path: string): boolean => {
    const [first = ''] = path.split('.')
    const column = columnsByName.get(first) ?? associations.get(first)
    return column === undefined || column.isCalculated || names?.has(column.name) !== false
  }
  return (definition.validations ?? [])
    .map((one) => ({ definition: one, condition: validationCondition(definition, one) }))
    .filter(({ condition }) => fieldsIn(condition).some(isAffected))
}

/** Their conditions, for the locks of a write. */
export const validationConditions = (
  { entity }: Pick<WriteContext, 'entity'>,
  written?: readonly Pick<Column, 'name'>[],
): readonly Condition[] => validationsOf(entity, written).map(({ condition }) => condition)

/**
 * Throws a WriteRejected with every validation that the record does not meet. It is asked after the write, in the same
 * transaction.
 */
export const requireValid = async (
  database: Queryable,
  context: WriteContext,
  id: number,
  {
    written,
    pathOf = (column) => column,
  }: {
    readonly written?: readonly Pick<Column, 'name'>[]
    /** The path of a column in the body; by default its name. */
    readonly pathOf?: (column: string) => string
  } = {},
): Promise<void> => {
  const { entity } = context
  const asked = new Map(
    validationsOf(entity, written).map(({ definition, condition }) => [definition, condition]),
  )
  const unmet = await findUnmet(database, context, { entity, id }, asked)
  if (unmet.size === 0) return
  const issues = [...unmet].map(({ key: validation, field = '', message }): FieldIssue => {
    const column = entity.columnsByName.get(field) ?? entity.associations.get(field)
    const isNamed = column !== undefined && !context.isHidden(column)
    return { path: isNamed ? pathOf(column.name) : '', message, validation, rule: 'refused' }
  })
  throw new WriteRejected(new Map(), issues)
}
