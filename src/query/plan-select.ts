/**
 * Resolves the names of criteria against the catalog and checks their values: the one door from a
 * name to a column. Answers with a plan, or throws criteria.invalid with every mistake.
 */
import { resolvePath } from '../definitions/association-path.ts'
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import { checkText } from '../definitions/check-text.ts'
import type { SqlValue } from '../definitions/check-value.ts'
import type { FieldDefinition, FieldOf } from '../definitions/field-definition.ts'
import { fieldTypeOf } from '../definitions/field-types.ts'
import { textLimits } from '../definitions/text-limits.ts'
import { faultOfMistakes } from '../errors.ts'
import { addMistake, isFull, type Mistake } from '../mistakes.ts'
import type { Access, RecordScope } from './access.ts'
import { type Condition, type Criteria, operators } from './criteria.ts'
import { refuseLargeRows, refuseRepeated } from './select-budget.ts'
import type {
  ColumnRef,
  Join,
  Page,
  PlannedColumn,
  PlannedCondition,
  SelectPlan,
} from './select-plan.ts'

// PostgreSQL plans 100 joins in 13 ms and 1,000 in 830 ms; a path may walk in circles for ever.
const mostJoins = 100

type Wish = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  /** The records in reach of the right that is used. */
  readonly scope: RecordScope
  readonly criteria: Criteria
  /** Paths of the answer, each a field or a many-to-one path. */
  readonly columns: readonly { readonly path: string; readonly at: string }[]
  readonly page: Page | undefined
  readonly timeZone: string
}

type Planning = Omit<Wish, 'criteria' | 'columns' | 'page'> & {
  readonly joins: Map<string, Join>
  readonly mistakes: Mistake[]
}

/** Plans one SELECT over an entity and its many-to-one associations. */
export const planSelect = (wish: Wish): SelectPlan => {
  const planning: Planning = { ...wish, joins: new Map(), mistakes: [] }
  const { criteria, entity } = wish
  const where = criteria.where && planCondition(criteria.where, planning)
  const orderBy = criteria.orderBy.flatMap(({ field, descending, at }) => {
    const ref = refer(field, at, true, planning)
    if (ref?.column.type.comparison === 'none')
      addMistake(planning.mistakes, { path: at, message: `"${field}" has no order` })
    return ref ? [{ ref, descending, at }] : []
  })
  const columns = wish.columns.flatMap(({ path, at }): (PlannedColumn & { at: string })[] => {
    const ref = refer(path, at, false, planning)
    return ref ? [{ path, ref, at }] : []
  })
  refuseRepeated(orderBy, planning.mistakes)
  // Only a caller's choice: a definition may repeat a column under another header.
  if (criteria.select) refuseRepeated(columns, planning.mistakes)
  refuseLargeRows(columns, planning.mistakes)
  if (planning.mistakes.length > 0) throw faultOfMistakes('criteria.invalid', planning.mistakes)
  const id = ownColumn(entity, 'id')
  return {
    entity,
    scope: wish.scope,
    columns,
    joins: [...planning.joins.values()],
    where,
    withRemoved: criteria.where !== undefined && asksForRemoved(criteria.where),
    orderBy: orderBy.some(({ ref }) => ref.alias === 't' && ref.column.name === 'id')
      ? orderBy
      : [...orderBy, { ref: id, descending: false }],
    page: wish.page,
  }
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
  if (!takesOperator(ref.column, operator)) {
    const message = `a field of type ${ref.column.field.type} does not take ${operator}`
    addMistake(planning.mistakes, { path: at, message })
    return { kind: 'never' }
  }
  const { takes } = operators[operator]
  if (takes === 'boolean') return { kind: 'compare', ref, operator, value: value as boolean }
  const values: SqlValue[] = []
  for (const [index, entry] of (takes === 'list' ? (value as unknown[]) : [value]).entries()) {
    if (isFull(planning.mistakes)) return { kind: 'never' }
    const place = takes === 'list' ? `${at}[${index}]` : at
    values.push(checkOperand(ref.column, entry, takes, place, planning))
  }
  return { kind: 'compare', ref, operator, value: takes === 'list' ? values : (values[0] ?? null) }
}

// Which comparisons of a field satisfy the need of an operator.
const satisfied = {
  none: ['text', 'ordered', 'equal', 'none'],
  equal: ['text', 'ordered', 'equal'],
  ordered: ['text', 'ordered'],
  text: ['text'],
} as const

const takesOperator = (column: Column, operator: keyof typeof operators): boolean =>
  (satisfied[operators[operator].needs] as readonly string[]).includes(column.type.comparison)

/** Rules of a field (range, length, pattern) do not bind what is searched for, only its type. */
const checkOperand = (
  column: Column,
  value: unknown,
  takes: 'value' | 'present' | 'text' | 'list',
  at: string,
  planning: Planning,
): SqlValue => {
  if (value === null && takes !== 'text') return null
  const bare = bareField(column.field)
  // A part of an enum's word is a fair thing to look for.
  const verdict =
    takes === 'text'
      ? checkText(value, anyText(column.field.key))
      : fieldTypeOf(bare).check(value, bare, planning)
  if ('value' in verdict) return verdict.value
  addMistake(planning.mistakes, { path: at, message: verdict.message })
  return null
}

/** What is searched for need not be a whole address or a short line: its length has a limit of its own. */
const anyText = (key: string): FieldOf<'text'> => ({
  key,
  type: 'text',
  maxLength: textLimits.text.most,
})

const bareField = (field: FieldDefinition): FieldDefinition =>
  field.type === 'email' || field.type === 'string' || field.type === 'text'
    ? anyText(field.key)
    : ({
        key: field.key,
        type: field.type,
        ...(field.type === 'enum' && { values: field.values }),
      } as FieldDefinition)

/** The column at the end of a path; joins on the way are shared between all paths. */
const refer = (
  text: string,
  at: string,
  isDecisive: boolean,
  planning: Planning,
): ColumnRef | undefined => {
  const { catalog, entity, access, joins, mistakes } = planning
  if (isFull(mistakes)) return undefined
  const result = resolvePath(catalog, entity, text, (owner, column) =>
    // The entity itself is in reach of the right that is used; only its fields may be hidden.
    access.maySee(owner, column),
  )
  if ('message' in result) {
    addMistake(mistakes, { path: at, message: result.message })
    return undefined
  }
  let alias = 't'
  let walked = ''
  for (const step of result.path.steps) {
    walked = `${walked}.${step.name}`
    const target = catalog.entities.get(step.target ?? '')
    if (!target) throw new Error(`The catalog lacks ${step.target}.`)
    const known = joins.get(walked)
    if (!known && joins.size === mostJoins) {
      const message = `leads over more than ${mostJoins} associations in all`
      addMistake(mistakes, { path: at, message })
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
