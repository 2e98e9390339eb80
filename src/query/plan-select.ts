/**
 * Resolves the names of criteria against the catalog and checks their values. Returns a plan, or throws
 * criteria.invalid with every issue.
 */
import { type Catalog, type Entity, versionColumn } from '../definitions/catalog.ts'
import { validationError } from '../errors.ts'
import { addIssue } from '../issues.ts'
import type { Access, RecordScope } from './access.ts'
import type { Criteria } from './criteria/criteria.ts'
import { planCursor } from './cursor/cursor.ts'
import { asksForRemoved, planCondition } from './plan-condition.ts'
import { type Planning, refer } from './refer.ts'
import { planSearch } from './search/plan-search.ts'
import { refuseLargeRows, refuseRepeated, refuseSlowRecords } from './select-budget.ts'
import type {
  ColumnPath,
  ColumnRef,
  Join,
  Page,
  PlannedColumn,
  PlannedColumns,
  PlannedCondition,
  PlannedOrdering,
  SelectPlan,
} from './select-plan.ts'
import { planTotals } from './totals.ts'

type PlanOptions = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  /** The records that the permission covers. */
  readonly scope: RecordScope
  readonly criteria: Criteria
  /** A condition besides those of the criteria. */
  readonly also?: PlannedCondition | undefined
  /** Paths of the select list, each a field or a many-to-one path; or the columns that they resolve to. */
  readonly columns: readonly ColumnPath[] | PlannedColumns
  /** Whether the select list may name `_version`. */
  readonly mayListVersion?: boolean
  readonly page: Page | undefined
  readonly timeZone: string
}

/** Plans columns for later SELECTs, which may differ in conditions and caller. */
export const planColumns = (
  options: Pick<PlanOptions, 'catalog' | 'entity' | 'access' | 'timeZone'>,
  paths: readonly ColumnPath[],
): PlannedColumns => {
  const planning: Planning = {
    ...options,
    joins: new Map(),
    followed: { count: 0, lists: 0 },
    issues: [],
  }
  const columns = referAll(paths, planning)
  refuseLargeRows(columns, planning.issues)
  refuseIssues(planning)
  return { columns, joins: planning.joins }
}

/** Plans one SELECT over an entity and its many-to-one associations. */
export const planSelect = (options: PlanOptions): SelectPlan => {
  const { criteria, entity, columns: columnsOrPlan } = options
  const planned = 'joins' in columnsOrPlan ? columnsOrPlan : undefined
  const joins = joinsFor(options.access, planned)
  const followed = { count: joins.size, lists: 0 }
  const planning: Planning = { ...options, joins, followed, issues: [] }
  const condition = criteria.where && planCondition(criteria.where, planning)
  if (condition) refuseSlowRecords(condition, planning.issues)
  const where = allOf([condition, planSearch(criteria.search, planning), options.also])
  const orderBy = planOrder(criteria, planning)
  const columns =
    'joins' in columnsOrPlan
      ? []
      : referAll(columnsOrPlan, planning, options.mayListVersion === true)
  // Only for a caller's choice: a definition may repeat a column under another header.
  if (criteria.select) refuseRepeated(columns, planning.issues)
  refuseLargeRows(columns, planning.issues)
  const totals = criteria.totals && planTotals(criteria.totals, planning)
  const turned = planCursor(entity, criteria, orderBy, planning.issues)
  refuseIssues(planning)
  return {
    entity,
    scope: options.scope,
    columns: planned?.columns ?? columns,
    joins: [...planning.joins.values()],
    where,
    withRemoved: criteria.where !== undefined && asksForRemoved(criteria.where),
    ...turned,
    totals,
    page: options.page,
  }
}

const allOf = (parts: readonly (PlannedCondition | undefined)[]): PlannedCondition | undefined => {
  const conditions = parts.flatMap((condition) => condition ?? [])
  return conditions.length > 1 ? { kind: 'and', conditions } : conditions[0]
}

/** The order of the criteria, with the id at its end. */
const planOrder = (criteria: Criteria, planning: Planning): PlannedOrdering[] => {
  const { entity, issues } = planning
  const orderBy = criteria.orderBy.flatMap(({ field, descending, at }) => {
    const ref = refer(field, at, true, planning)
    if (ref?.column.type.hasOrder === false)
      addIssue(issues, { path: at, message: `"${field}" has a type that cannot be sorted` })
    return ref ? [{ ref, descending, at }] : []
  })
  refuseRepeated(orderBy, issues)
  return orderBy.some(({ ref }) => ref.alias === 't' && ref.column.name === 'id')
    ? orderBy
    : [...orderBy, { ref: ownColumn(entity, 'id'), descending: false }]
}

const referAll = (paths: readonly ColumnPath[], planning: Planning, mayListVersion = false) =>
  paths.flatMap(({ path, at }): (PlannedColumn & { at: string })[] => {
    const ref =
      mayListVersion && path === versionColumn.name
        ? { alias: 't', column: versionColumn }
        : refer(path, at, false, planning)
    return ref ? [{ path, ref, at }] : []
  })

/** The joins of planned columns, each limited to what this caller may read. */
const joinsFor = (access: Access, planned: PlannedColumns | undefined): Map<string, Join> =>
  new Map(
    [...(planned?.joins ?? [])].map(([walked, join]) => [
      walked,
      { ...join, scope: join.isName ? 'all' : access.readScope(join.entity) },
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
