/**
 * Prints records as JSON inside PostgreSQL: the text goes to the caller as it is, no row is parsed
 * and printed again (which costs a third of a small read).
 */
import pg from 'pg'
import { concatenated } from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import { isRequired } from '../definitions/field-defaults.ts'
import type { Access } from './access.ts'
import { columnExpression } from './compile-select.ts'
import type { ColumnRef, SelectPlan } from './select-plan.ts'

/** JSON text of one column; null is the word null. */
export const jsonValue = (ref: ColumnRef): string => {
  const expression = columnExpression(ref)
  const text = ref.column.type.jsonText(expression)
  const isKept = ref.alias === 't' && ref.column.field.type !== 'oneToMany' && isNeverNull(ref)
  return isKept ? text : `coalesce(${text},'null')`
}

const isNeverNull = ({ column }: ColumnRef): boolean => column.isSystem && isRequired(column)

/** One JSON object from names and expressions of JSON text. `||` is faster than concat. */
export const jsonObject = (
  members: readonly { readonly name: string; readonly text: string }[],
): string => {
  if (members.length === 0) return `'{}'`
  const parts = members.flatMap(({ name, text }, index) => {
    const opening = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
    return [pg.escapeLiteral(opening), text]
  })
  return concatenated([...parts, `'}'`])
}

/** The plan's columns as one nested object: `supplier.name` stands as `name` inside `supplier`. */
export const recordJson = (plan: SelectPlan): string => nestedObject(plan, 't', '')

const nestedObject = (plan: SelectPlan, alias: string, prefix: string): string => {
  const inside = plan.columns.filter(({ path }) => path.startsWith(prefix))
  const own = inside.filter(({ path }) => !path.slice(prefix.length).includes('.'))
  const children = plan.joins.filter(
    (step) =>
      step.from.alias === alias &&
      inside.some(({ path }) => path.startsWith(`${prefix}${step.from.column.field.key}.`)),
  )
  return jsonObject([
    ...own.map(({ ref }) => ({ name: ref.column.name, text: jsonValue(ref) })),
    ...children.map((step) => {
      const key = step.from.column.field.key
      const object = nestedObject(plan, step.alias, `${prefix}${key}.`)
      // `_updated_by` holds the id, so its object is `updated_by`, as in the interface's task.
      const name = key.replace(/^_/, '')
      return {
        name,
        text: `CASE WHEN ${step.alias}."id" IS NULL THEN 'null' ELSE ${object} END`,
      }
    }),
  ])
}

/** Paths of every column that may be seen, of the entity and of each included association. */
export const visiblePaths = (
  entity: Entity,
  access: Access,
  includes: readonly { readonly path: string; readonly entity: Entity }[] = [],
): { path: string; at: string }[] => [
  ...pathsOf(entity, access, ''),
  ...includes.flatMap((include) => pathsOf(include.entity, access, `${include.path}.`)),
]

const pathsOf = (entity: Entity, access: Access, prefix: string) =>
  entity.columns
    .filter((column) => access.maySee(entity, column))
    .map((column) => ({ path: `${prefix}${column.name}`, at: 'include' }))
