/**
 * Plans conditions: names become columns, values are checked against them. A field may be compared with another one, of
 * the same record or of the user record of the caller.
 */
import type { DaySpan } from '../database/moving-times.ts'
import { join, notDeleted, ref, type Sql, sql, table } from '../database/sql.ts'
import type { Operator } from '../definitions/values/rules/operators.ts'
import { didYouMean } from '../did-you-mean.ts'
import { addIssue, isFull } from '../issues.ts'
import { compileJoin } from './compile-select.ts'
import type { Condition, Reference } from './criteria/criteria.ts'
import { criteriaLimits } from './criteria/criteria-limits.ts'
import { operatorOf } from './criteria/operators.ts'
import {
  type CallerPlanning,
  type Planning,
  type Referred,
  referList,
  referWithEntity,
} from './refer.ts'
import type { ColumnRef, PlannedCondition, PlannedValue } from './select-plan.ts'

/** Adds an issue for each part that is wrong. */
export const planCondition = (condition: Condition, planning: Planning): PlannedCondition => {
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
    case 'readable':
      return planReadable(condition, planning)
    case 'some':
      return planSome(condition, planning)
  }
}

/** Whether the record behind a link is one that the access of the query reads. */
const planReadable = (
  { field, at }: Extract<Condition, { kind: 'readable' }>,
  planning: Planning,
): PlannedCondition => {
  const found = referWithEntity(field, at, true, planning)
  if (!found) return { kind: 'never' }
  const { ref: link } = found
  const entity = planning.catalog.entities.get(link.column.target ?? '')
  if (!entity) {
    addIssue(planning.issues, { path: at, message: 'asks a many-to-one field or path alone' })
    return { kind: 'never' }
  }
  return {
    kind: 'linked',
    link,
    entity,
    alias: `${link.alias}_r`,
    scope: planning.access.readScope(entity),
    condition: { kind: 'and', conditions: [] },
  }
}

/** The names of its condition are those of the other records, as the caller may read these. */
const planSome = (
  { list, condition, at }: Extract<Condition, { kind: 'some' }>,
  planning: Planning,
): PlannedCondition => {
  const found = referList(list, at, planning)
  if (!found) return { kind: 'never' }
  const { entity, access, joins } = found.planning
  const planned = planCondition(condition, found.planning)
  return {
    kind: 'some',
    owner: found.owner,
    link: { alias: found.alias, column: found.link },
    entity,
    scope: access.readScope(entity),
    joins: [...joins.values()],
    withRemoved: asksForRemoved(condition),
    isApart: found.isApart,
    condition: planned,
  }
}

const planComparison = (
  condition: Extract<Condition, { kind: 'compare' }>,
  planning: Planning,
): PlannedCondition => {
  const { field, operator, value, reference, at } = condition
  const found = referWithEntity(field, at, true, planning)
  if (!found) return { kind: 'never' }
  const { ref } = found
  const { fits, operand } = operatorOf(operator)
  if (!fits.includes(ref.column.type.comparison)) {
    const message = `a field of type ${ref.column.field.type} does not take ${operator}`
    addIssue(planning.issues, { path: at, message })
    return { kind: 'never' }
  }
  if (reference) return planRelation(found, { ...condition, reference }, planning)
  const { timeZone, catalog, issues } = planning
  const calendar = { timeZone, firstDayOfWeek: catalog.firstDayOfWeek }
  const values: PlannedValue[] = []
  const spans: DaySpan[] = []
  for (const [index, entry] of (operand.isList ? (value as unknown[]) : [value]).entries()) {
    if (isFull(issues)) return { kind: 'never' }
    const verdict = operand.check(entry, ref.column, calendar)
    if ('value' in verdict) values.push(verdict.value)
    else if ('computed' in verdict) values.push(verdict.computed)
    else if ('span' in verdict) spans.push(verdict.span)
    else
      addIssue(issues, { path: operand.isList ? `${at}[${index}]` : at, message: verdict.message })
  }
  if (spans.length === 0) return { kind: 'compare', ref, operator, values }
  if (spans.length > criteriaLimits.movingTimes)
    addIssue(issues, {
      path: at,
      message: `has ${spans.length} days, which are compared with moments; at most ${criteriaLimits.movingTimes} are allowed`,
    })
  return planDays(ref, operator, spans, values)
}

/** A comparison of moments with days: each is all of its moments. */
const planDays = (
  ref: ColumnRef,
  operator: Operator,
  spans: readonly DaySpan[],
  values: readonly PlannedValue[],
): PlannedCondition => {
  const compare = (by: Operator, value: PlannedValue): PlannedCondition => ({
    kind: 'compare',
    ref,
    operator: by,
    values: [value],
  })
  const within = ({ from, until }: DaySpan): PlannedCondition => ({
    kind: 'and',
    conditions: [compare('$gte', from), compare('$lt', until)],
  })
  const listed: PlannedCondition = { kind: 'compare', ref, operator: '$in', values }
  const isOneOf: PlannedCondition = {
    kind: 'or',
    conditions: [...(values.length > 0 ? [listed] : []), ...spans.map(within)],
  }
  if (operator === '$eq' || operator === '$in') return isOneOf
  if (operator === '$ne' || operator === '$nin') return { kind: 'not', condition: isOneOf }
  const [span] = spans
  const end = ends[operator]
  if (!span || !end) throw new Error(`${operator} does not compare with days.`)
  return compare(end[0], span[end[1]])
}

/** How moments stand to an end of a day where they are before or after it, or within. */
const ends: Readonly<Partial<Record<Operator, readonly [Operator, keyof DaySpan]>>> = {
  $gt: ['$gte', 'until'],
  $gte: ['$gte', 'from'],
  $lt: ['$lt', 'from'],
  $lte: ['$lt', 'until'],
}

/** Whether a condition names `_is_deleted` of its own record: only then removed records may match. */
export const asksForRemoved = (condition: Condition): boolean => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some(asksForRemoved)
    case 'not':
      return asksForRemoved(condition.condition)
    case 'compare':
      return condition.field === '_is_deleted'
    case 'readable':
    case 'some':
      return false
  }
}

/** How columns of a source are found, and which of them can be compared. */
type Source = {
  readonly planningOf: (planning: Planning) => Planning | undefined
  /** Why two columns cannot be compared; undefined if they can. */
  readonly issueOf: (one: Referred, other: Referred, path: string) => string | undefined
  /** The columns without whose values no comparison holds. */
  readonly filled: (one: ColumnRef, other: ColumnRef) => readonly ColumnRef[]
}

const sources: Readonly<Record<Reference['of'], Source>> = {
  record: {
    planningOf: (planning) => planning,
    issueOf: (one, other, path) =>
      kindOf(one) !== undefined && kindOf(one) === kindOf(other)
        ? undefined
        : `cannot be compared with "${path}", ${describe(other)}; compare ${describe(one)} with a field of the same kind`,
    filled: (one, other) => [one, other],
  },
  // A record without a value differs from every value of the caller.
  caller: {
    planningOf: ({ caller }) => caller,
    issueOf: ({ ref: one }, { ref: other }, path) =>
      one.column.type.cast === other.column.type.cast
        ? undefined
        : `"${path}" of user has the type ${other.column.field.type}, which cannot be compared with ${one.column.field.type}`,
    filled: (_one, other) => [other],
  },
}

/** Adds an issue if the other field is unknown, hidden or of another kind. */
const planRelation = (
  one: Referred,
  {
    operator,
    reference,
    at,
  }: Extract<Condition, { kind: 'compare' }> & {
    readonly reference: Reference
  },
  planning: Planning,
): PlannedCondition => {
  const { planningOf, issueOf, filled } = sources[reference.of]
  const from = planningOf(planning)
  if (!from) throw new Error(`There is no caller for "${at}".`)
  if (operator === '$in' && planning.caller)
    return planAmong(one, reference.path, at, planning.caller)
  const other = referWithEntity(reference.path, at, true, from)
  if (!other) return { kind: 'never' }
  const message =
    issueOf(one, other, reference.path) ?? orderIssue(one.ref, other.ref, operator, reference.path)
  if (message === undefined)
    return {
      kind: 'relate',
      ref: one.ref,
      operator,
      other: asSelected(other.ref, from),
      filled: isNullRefused(operator, from) ? [] : filled(one.ref, asSelected(other.ref, from)),
    }
  addIssue(planning.issues, { path: at, message })
  return { kind: 'never' }
}

// A value that is selected in its place would be selected once more to say that it is there.
const isNullRefused = (operator: Operator, from: Planning | CallerPlanning): boolean =>
  'isSelected' in from && from.isSelected && operator !== '$ne'

/** The field of the caller as a value of its own; every other one as it is. */
const asSelected = (other: ColumnRef, from: Planning | CallerPlanning): ColumnRef => {
  if (!('isSelected' in from) || !from.isSelected) return other
  // The id is known: PostgreSQL estimates how many records have it, which it cannot do for a select.
  const isId = other.column.name === 'id' && other.alias === from.aliases?.start
  return { ...other, value: isId ? from.user : sql`(${selectOfCaller(other, from)})` }
}

const selectOfCaller = (
  { alias, column }: ColumnRef,
  { entity, joins, user }: CallerPlanning,
): Sql =>
  sql`SELECT ${ref(column.name, alias)}
    FROM ${table(entity)} caller${join([...joins.values()].map(compileJoin), '')}
    WHERE caller.id = ${user}`

/** Whether a column has one of the values at the end of a path of the caller that leads over one one-to-many field. */
const planAmong = (
  one: Referred,
  path: string,
  at: string,
  caller: CallerPlanning,
): PlannedCondition => {
  const [list = '', ...rest] = path.split('.')
  const field = caller.entity.oneToMany.get(list)
  const entity = caller.catalog.entities.get(field?.entity ?? '')
  const link = entity?.associations.get(field?.mappedBy ?? '')
  if (!entity || !link || rest.length === 0) {
    const lists = [...caller.entity.oneToMany.keys()]
    const message = `"${path}" must lead over a one-to-many field of user to one of its fields, such as "groups.user_group"${didYouMean(list, lists)}`
    addIssue(caller.issues, { path: at, message })
    return { kind: 'never' }
  }
  const aliases = { start: 'listed', linked: 'listed_l' }
  const within: Planning = { ...caller, entity, joins: new Map(), aliases }
  const other = referWithEntity(rest.join('.'), at, true, within)
  if (!other) return { kind: 'never' }
  const message = sources.caller.issueOf(one, other, path)
  if (message !== undefined) {
    addIssue(caller.issues, { path: at, message })
    return { kind: 'never' }
  }
  const values = sql`
    SELECT ${ref(other.ref.column.name, other.ref.alias)}
    FROM ${table(entity)} listed${join([...within.joins.values()].map(compileJoin), '')}
    WHERE ${ref(link.name, 'listed')} = ${caller.user} AND ${notDeleted('listed')}`
  return { kind: 'among', ref: one.ref, values }
}

/** Words have an order only among the same words. */
const orderIssue = (
  { column: one }: ColumnRef,
  { column: other }: ColumnRef,
  operator: Operator,
  path: string,
): string | undefined => {
  const [words, others] = [one.type.choices, other.type.choices]
  const isSame = JSON.stringify(words) === JSON.stringify(others)
  return operatorOf(operator).comparesOrder && !isSame
    ? `cannot be compared with "${path}" by ${operator}, because the two do not have the same values in the same order`
    : undefined
}

/** What the values of a column are, as far as others can be compared with them; ids are those of one entity. */
const kindOf = ({ ref: { column }, entity }: Referred): string | undefined => {
  if (column.target !== undefined) return `id of ${column.target}`
  return column.name === 'id' ? `id of ${entity.key}` : column.type.comparedKind
}

const articles = { number: 'a number', text: 'a text', date: 'a date', timestamp: 'a timestamp' }

const describe = (referred: Referred): string => {
  const { type, field } = referred.ref.column
  const kind = kindOf(referred)
  if (kind === undefined) return `a field of type ${field.type}`
  // Of which entity is not said: the caller may not know it.
  return kind === type.comparedKind ? articles[type.comparedKind] : 'an id of another entity'
}
