/**
 * Resolves the names of criteria against the catalog and checks their values: the only way from a name to a
 * column. Returns a plan, or throws criteria.invalid with every issue.
 */
import { resolvePath } from '../definitions/association-path.ts'
import { type Catalog, type Entity, versionColumn } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { validationError } from '../errors.ts'
import { addIssue, type Issue, isFull } from '../issues.ts'
import type { Access, RecordScope } from './access.ts'
import type { Condition, Criteria } from './criteria/criteria.ts'
import { operatorOf } from './criteria/operators.ts'
import { refuseLargeRows, refuseRepeated } from './select-budget.ts'
import type {
  ColumnPath,
  ColumnRef,
  Join,
  Page,
  PlannedColumn,
  PlannedColumns,
  PlannedCondition,
  SelectPlan,
} from './select-plan.ts'

// PostgreSQL plans 100 joins in 13 ms and 1,000 in 830 ms; paths may be cyclic.
const maxJoins = 100

type PlanOptions = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  /** The records that the permission covers. */
  readonly scope: RecordScope
  readonly criteria: Criteria
  /** Paths of the select list, each a field or a many-to-one path; or the columns that they resolve to. */
  readonly columns: readonly ColumnPath[] | PlannedColumns
  /** Whether the select list may name `_version`. */
  readonly mayListVersion?: boolean
  readonly page: Page | undefined
  readonly timeZone: string
}

type Planning = Pick<
  PlanOptions,
  'catalog' | 'entity' | 'access' | 'timeZone' | 'mayListVersion'
> & {
  readonly joins: Map<string, Join>
  readonly issues: Issue[]
}

/** Plans columns for later SELECTs, which may differ in conditions and caller. */
export const planColumns = (
  options: Pick<PlanOptions, 'catalog' | 'entity' | 'access' | 'timeZone'>,
  paths: readonly ColumnPath[],
): PlannedColumns => {
  const planning: Planning = { ...options, joins: new Map(), issues: [] }
  const columns = referAll(paths, planning)
  refuseLargeRows(columns, planning.issues)
  refuseIssues(planning)
  return { columns, joins: planning.joins }
}

/** Plans one SELECT over an entity and its many-to-one associations. */
export const planSelect = (options: PlanOptions): SelectPlan => {
  const { criteria, entity, columns: columnsOrPlan } = options
  const planned = 'joins' in columnsOrPlan ? columnsOrPlan : undefined
  const planning: Planning = { ...options, joins: joinsFor(options.access, planned), issues: [] }
  const where = criteria.where && planCondition(criteria.where, planning)
  const orderBy = criteria.orderBy.flatMap(({ field, descending, at }) => {
    const ref = refer(field, at, true, planning)
    if (ref?.column.type.hasOrder === false)
      addIssue(planning.issues, {
        path: at,
        message: `"${field}" has a type that cannot be sorted`,
      })
    return ref ? [{ ref, descending, at }] : []
  })
  const columns = 'joins' in columnsOrPlan ? [] : referAll(columnsOrPlan, planning)
  refuseRepeated(orderBy, planning.issues)
  // Only for a caller's choice: a definition may repeat a column under another header.
  if (criteria.select) refuseRepeated(columns, planning.issues)
  refuseLargeRows(columns, planning.issues)
  refuseIssues(planning)
  const id = ownColumn(entity, 'id')
  return {
    entity,
    scope: options.scope,
    columns: planned?.columns ?? columns,
    joins: [...planning.joins.values()],
    where,
    withRemoved: criteria.where !== undefined && asksForRemoved(criteria.where),
    orderBy: orderBy.some(({ ref }) => ref.alias === 't' && ref.column.name === 'id')
      ? orderBy
      : [...orderBy, { ref: id, descending: false }],
    page: options.page,
  }
}

const referAll = (paths: readonly ColumnPath[], planning: Planning) =>
  paths.flatMap(({ path, at }): (PlannedColumn & { at: string })[] => {
    const ref =
      planning.mayListVersion && path === versionColumn.name
        ? { alias: 't', column: versionColumn }
        : refer(path, at, false, planning)
    return ref ? [{ path, ref, at }] : []
  })

/** The joins of planned columns, each limited to what this caller may read. */
const joinsFor = (access: Access, planned: PlannedColumns | undefined): Map<string, Join> =>
  new Map(
    [...(planned?.joins ?? [])].map(([walked, join]) => [
      walked,
      { ...join, scope: access.readScope(join.entity) },
    ]),
  )

const refuseIssues = ({ issues }: Planning): void => {
  if (issues.length > 0) throw validationError('criteria.invalid', issues)
}

/** A column of the entity itself, which is known to exist. */
const ownColumn = (entity: Entity, name: string): ColumnRef => {
  const column = entity.columnsByName.get(name)
  if (!column) throw new Error(`The entity ${entity.key} has no column ${name}.`)
  return { alias: 't', column }
}

const planCondition = (condition: Condition, planning: Planning): PlannedCondition => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return {
        kind: condition.kind,
        conditions: condition.conditions.map((inner) => planCondition(inner, planning)),
      }
    case 'not':
      return { kind: 'not', condition: planCondition(condition.condition, planning) }
    case 'compare':
      return planComparison(condition, planning)
  }
}

const planComparison = (
  condition: Extract<Condition, { kind: 'compare' }>,
  planning: Planning,
): PlannedCondition => {
  const { field, operator, value, at } = condition
  const ref = refer(field, at, true, planning)
  if (!ref) return { kind: 'never' }
  const { fits, operand } = operatorOf(operator)
  if (!fits.includes(ref.column.type.comparison)) {
    const message = `a field of type ${ref.column.field.type} does not take ${operator}`
    addIssue(planning.issues, { path: at, message })
    return { kind: 'never' }
  }
  const values: SqlValue[] = []
  for (const [index, entry] of (operand.isList ? (value as unknown[]) : [value]).entries()) {
    if (isFull(planning.issues)) return { kind: 'never' }
    const verdict = operand.check(entry, ref.column, planning.timeZone)
    if ('value' in verdict) values.push(verdict.value)
    else
      addIssue(planning.issues, {
        path: operand.isList ? `${at}[${index}]` : at,
        message: verdict.message,
      })
  }
  return { kind: 'compare', ref, operator, values }
}

/** The column at the end of a path; all paths share their joins. */
const refer = (
  text: string,
  at: string,
  isDecisive: boolean,
  planning: Planning,
): ColumnRef | undefined => {
  const { catalog, entity, access, joins, issues } = planning
  if (isFull(issues)) return undefined
  const result = resolvePath(catalog, entity, text, (owner, column) =>
    // The scope covers the entity itself; only its fields may be hidden.
    access.maySee(owner, column),
  )
  if ('message' in result) {
    addIssue(issues, { path: at, message: result.message })
    return undefined
  }
  let alias = 't'
  let walked = ''
  for (const step of result.path.steps) {
    walked = `${walked}.${step.name}`
    const target = catalog.entities.get(step.target ?? '')
    if (!target) throw new Error(`The catalog lacks ${step.target}.`)
    const known = joins.get(walked)
    if (!known && joins.size === maxJoins) {
      const message = `leads through more than ${maxJoins} associations in total`
      addIssue(issues, { path: at, message })
      return undefined
    }
    const join: Join = {
      alias: known?.alias ?? `j${joins.size + 1}`,
      from: known?.from ?? { alias, column: step },
      entity: target,
      scope: access.readScope(target),
      isDecisive: isDecisive || known?.isDecisive === true,
    }
    joins.set(walked, join)
    alias = join.alias
  }
  return { alias, column: result.path.column }
}

const asksForRemoved = (condition: Condition): boolean => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some(asksForRemoved)
    case 'not':
      return asksForRemoved(condition.condition)
    case 'compare':
      return condition.field === '_is_deleted'
  }
}
