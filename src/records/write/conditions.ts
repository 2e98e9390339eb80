/**
 * Conditions of a write, decided by the database that has the record: those of a role on the records that it may write,
 * and the validations of an entity, which a record meets once it is written.
 */
import type { RecordRight } from '../../auth/entity-rights.ts'
import { type Queryable, queryRow } from '../../database/pool.ts'
import { bound, int, join, nothing, ref, sql, table } from '../../database/sql.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import { isFileColumn } from '../../definitions/files.ts'
import type { ValidationDefinition } from '../../definitions/schemas/entity-definition.ts'
import type { ConditionalRight } from '../../definitions/schemas/role-definition.ts'
import { callerDefaultOf } from '../../definitions/values/field-defaults.ts'
import { apiError } from '../../errors.ts'
import { compileScope } from '../../query/compile-scope.ts'
import { comparedPaths, printCompared, withMessage } from '../../query/conditions/compared-paths.ts'
import { findUnmet, parsedCondition } from '../../query/conditions/decide-conditions.ts'
import { validationCondition } from '../../query/conditions/validation-condition.ts'
import { type Condition, fieldsIn } from '../../query/criteria/criteria.ts'
import type { FieldIssue } from './check-values.ts'
import { grantedBy, type RoleGrant, type WriteContext } from './write-context.ts'
import { WriteRejected } from './write-rejected.ts'
import { auditedUpdate, type Values } from './write-statements.ts'

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

type PathOf = {
  /** The path of a column in the body; by default its name. */
  readonly pathOf?: ((column: string) => string) | undefined
}

/**
 * Throws a WriteRejected with every validation that the record does not meet. It is asked after the write, in the same
 * transaction.
 */
export const requireValid = async (
  database: Queryable,
  context: WriteContext,
  id: number,
  { written, pathOf }: PathOf & { readonly written?: readonly Pick<Column, 'name'>[] } = {},
): Promise<void> => {
  const { entity } = context
  const asked = conditional(validationsOf(entity, written))
  const unmet = await findUnmet(database, context, { entity, id }, asked)
  if (unmet.size > 0) throw new WriteRejected(new Map(), issuesOf(context, unmet, pathOf))
}

type RefusedWrite = PathOf & {
  /** The record that is changed; undefined for a new one. */
  readonly id?: number
  readonly values: Values
  /** What is wrong with other values. */
  readonly issues: readonly FieldIssue[]
}

/** Columns that each change writes. */
const changing = new Set(auditedUpdate(null, 's').map(({ name }) => name))

/**
 * Of a write that is refused for other values, the validations that its valid values break, so that they are told together. Asked are
 * those of which every field is one of the record itself with a valid value: what is calculated or behind a link follows from the write.
 */
export const findInvalid = async (
  database: Queryable,
  context: WriteContext,
  { id, values, issues, pathOf = (column) => column }: RefusedWrite,
): Promise<readonly FieldIssue[]> => {
  const { entity } = context
  const wrong = new Set(issues.map(({ path }) => path))
  const isValid = (column: Column | undefined): column is Column => {
    if (!column || column.isCalculated || column.series || isFileColumn(column)) return false
    if (changing.has(column.name) || wrong.has(pathOf(column.name))) return false
    if (id !== undefined) return true
    // A line may not have it from its user yet.
    const isLater = values.get(column) === null && callerDefaultOf(column.field) !== undefined
    return values.has(column) && !isLater
  }
  const columnsOf = ({ condition }: Validation) =>
    fieldsIn(condition).map(
      (name) => entity.columnsByName.get(name) ?? entity.associations.get(name),
    )
  const asked = validationsOf(entity, id === undefined ? undefined : [...values.keys()]).filter(
    (one) => columnsOf(one).every(isValid),
  )
  if (asked.length === 0) return []
  const cells = [...new Set(asked.flatMap(columnsOf).filter(isValid))].map((column) => {
    const value = values.get(column)
    const cell = value === undefined ? ref(column.name, 's') : bound(value, column.type.cast)
    return sql`${cell} AS ${ref(column.name)}`
  })
  const source = id === undefined ? nothing : sql` FROM ${table(entity)} s WHERE s.id = ${int(id)}`
  const rows = sql`(SELECT ${join([sql`${int(id ?? 0)} AS id`, ...cells], ', ')}${source})`
  const record = { entity, id: id ?? 0, rows }
  return issuesOf(context, await findUnmet(database, context, record, conditional(asked)), pathOf)
}

type CheckedWrite = RefusedWrite & { readonly lines: CheckedLines | undefined }

/** What is written with a record. */
export type CheckedLines = {
  /** Whether something is wrong with it in the body. */
  readonly hasIssues: boolean
  /** What is wrong with it as far as that can be said without writing it. */
  readonly findIssues: () => Promise<readonly FieldIssue[]>
}

/** Throws a WriteRejected with all that can be told of a write before it is made, if anything is wrong with its values or its lines. */
export const refuseIssues = async (
  database: Queryable,
  context: WriteContext,
  { lines, ...checked }: CheckedWrite,
): Promise<void> => {
  if (checked.issues.length === 0 && !lines?.hasIssues) return
  throw new WriteRejected(checked.values, [
    ...checked.issues,
    ...(await findInvalid(database, context, checked)),
    ...((await lines?.findIssues()) ?? []),
  ])
}

const conditional = (validations: readonly Validation[]) =>
  new Map(validations.map(({ definition, condition }) => [definition, condition]))

const issuesOf = (
  { entity, isHidden }: WriteContext,
  unmet: ReadonlySet<ValidationDefinition>,
  pathOf: PathOf['pathOf'] = (column) => column,
): readonly FieldIssue[] =>
  [...unmet].map(({ key: validation, field = '', message }) => {
    const column = entity.columnsByName.get(field) ?? entity.associations.get(field)
    const isNamed = column !== undefined && !isHidden(column)
    return { path: isNamed ? pathOf(column.name) : '', message, validation, rule: 'refused' }
  })
