/**
 * Prints records as JSON inside PostgreSQL: the text is sent to the caller unchanged, no row is parsed and
 * printed again (which costs a third of a small read).
 */
import pg from 'pg'
import { concatenated } from '../database/sql.ts'
import { isRequired } from '../definitions/values/field-defaults.ts'
import { columnExpression } from './compile-select.ts'
import type { ColumnRef, Join, SelectPlan } from './select-plan.ts'

/** JSON text of one column, or of what stands for its value; null is the word null. */
export const jsonValue = (ref: ColumnRef, expression = columnExpression(ref)): string => {
  const text = ref.column.type.jsonText(expression)
  const isKept = ref.alias === 't' && ref.column.field.type !== 'oneToMany' && isNeverNull(ref)
  return isKept ? text : `coalesce(${text},'null')`
}

const isNeverNull = ({ column }: ColumnRef): boolean => column.isSystem && isRequired(column)

type Member = {
  readonly name: string
  readonly text: string
  /** Where it is a member; absent: always. */
  readonly where?: string | undefined
}

/** One JSON object from names and expressions of JSON text, beginning with one that is always there. `||` is faster than concat. */
export const jsonObject = (members: readonly Member[]): string => {
  if (members.length === 0) return `'{}'`
  const parts = members.flatMap(({ name, text, where }, index) => {
    const opening = pg.escapeLiteral(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
    return where === undefined
      ? [opening, text]
      : [`CASE WHEN ${where} THEN ${opening}||${text} ELSE '' END`]
  })
  return concatenated([...parts, `'}'`])
}

type Columns = Pick<SelectPlan, 'columns' | 'joins'>

/** The columns as one nested object: `supplier.name` is `name` inside `supplier`. */
export const recordJson = (columns: Columns): string => nestedObject(columns, ['t'], '')

const nestedObject = (plan: Columns, aliases: readonly string[], prefix: string): string => {
  const inside = plan.columns.filter(({ path }) => path.startsWith(prefix))
  const own = inside.filter(
    ({ path, ref }) => !path.slice(prefix.length).includes('.') && aliases.includes(ref.alias),
  )
  const children = plan.joins.filter(
    (step) =>
      aliases.includes(step.from.alias) &&
      inside.some(({ path }) => path.startsWith(`${prefix}${step.from.column.field.key}.`)),
  )
  return jsonObject([
    ...own.map(({ ref }) => ({ name: ref.column.name, text: jsonValue(ref) })),
    ...[...Map.groupBy(children, ({ from }) => from.column.field.key)].map(([key, steps]) => ({
      // `_updated_by` holds the id, so its object is `updated_by`, as in a task (docs/tasks.md).
      name: key.replace(/^_/, ''),
      text: linkedObject(plan, steps, `${prefix}${key}.`),
    })),
  ])
}

/** Null for no record, else what is seen of it: its name alone, where only that is joined. */
const linkedObject = (plan: Columns, steps: readonly Join[], prefix: string): string => {
  const widestFirst = steps.toSorted((one, other) => Number(other.isName) - Number(one.isName))
  const cases = widestFirst.map(({ alias }, index) => {
    const seen = widestFirst.slice(0, index).map((step) => step.alias)
    const object = index === 0 ? `'null'` : nestedObject(plan, seen, prefix)
    return `WHEN ${alias}."id" IS NULL THEN ${object}`
  })
  const all = widestFirst.map(({ alias }) => alias)
  return `CASE ${cases.join(' ')} ELSE ${nestedObject(plan, all, prefix)} END`
}
