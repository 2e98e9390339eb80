/**
 * What follows a few records, such as the lines of the orders of a branch. PostgreSQL reads a list in its order until the page is full, and would
 * look up the link of each record that it passes. Where an index finds the records that the user may read, those are found first, and links are
 * compared with them; only where one leads there is it looked up.
 */
import { raw, ref, sql, table } from '../../database/sql.ts'
import { type Column, type Entity, orderedIndexes } from '../../definitions/catalog.ts'
import type { FewLinked } from '../access.ts'
import { type Condition, comparesIn } from '../criteria/criteria.ts'
import { parsedCondition } from './decide-conditions.ts'
import { compileScopeCondition, type ScopeConditionOptions } from './scope-condition.ts'

type Options = ScopeConditionOptions & {
  /** On what condition the role reads an entity. */
  readonly readOf: (entity: Entity) => object | undefined
}

/** For records that meet a condition of reading: where their links lead, as far as an index finds it. */
export const findFewLinked = ({ condition, readOf, ...options }: Options): readonly FewLinked[] =>
  demandsOf(condition).flatMap((demand) => {
    const linked = linkedBy(demand, options, readOf)
    const found = linked?.demands.find((one) => isFound(linked.entity, one))
    if (!linked || !found) return []
    const { link, entity } = linked
    const alias = `${options.alias}_f`
    const holds = compileScopeCondition({ ...options, condition: found, entity, alias })
    return {
      link: ref(link.name, options.alias),
      ids: sql`SELECT ${ref('id', alias)} FROM ${table(entity)} ${raw(alias)} WHERE ${holds}`,
    }
  })

/** What a condition demands of each record: the parts that it joins by "and". */
const demandsOf = (condition: Condition): readonly Condition[] =>
  condition.kind === 'and' ? condition.conditions.flatMap(demandsOf) : [condition]

type Linked = {
  readonly link: Column
  readonly entity: Entity
  /** What is demanded of the record behind the link. */
  readonly demands: readonly Condition[]
}

const linkedBy = (
  demand: Condition,
  { catalog, entity }: Pick<Options, 'catalog' | 'entity'>,
  readOf: Options['readOf'],
): Linked | undefined => {
  if (demand.kind !== 'readable' && demand.kind !== 'compare') return undefined
  const [name = '', ...rest] = demand.field.split('.')
  const link = entity.associations.get(name)
  const target = catalog.entities.get(link?.target ?? '')
  if (!link || !target) return undefined
  const field = rest.join('.')
  if (demand.kind === 'compare') return { link, entity: target, demands: [{ ...demand, field }] }
  const read = field === '' ? readOf(target) : undefined
  return read && { link, entity: target, demands: demandsOf(parsedCondition(read)) }
}

/** Whether an index finds all records, also removed ones, that have a value of the user. */
const isFound = (entity: Entity, demand: Condition): boolean =>
  demand.kind === 'compare' &&
  comparedWithCaller(entity, demand).some(({ name }) =>
    orderedIndexes(entity).some(({ kind, columns }) => kind !== 'unique' && columns[0] === name),
  )

// Comparisons of conditions of reading by which an index finds the records of a user.

/** The columns of a record of which a condition says that they have a value of the user. */
export const comparedWithCaller = (entity: Entity, condition: Condition): readonly Column[] =>
  comparesIn(condition).flatMap(({ field, operator, reference }) => {
    const isFound = operator === '$eq' || operator === '$in'
    if (!isFound || reference?.of !== 'caller') return []
    return entity.columnsByName.get(field) ?? entity.associations.get(field) ?? []
  })
