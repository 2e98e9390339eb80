/** Finds the records of one entity that a text names: exactly, by the beginning of their name, or by words. */
import { type Queryable, queryOnce } from '../../database/pool.ts'
import { raw } from '../../database/sql.ts'
import { type Catalog, type Column, type Entity, uniqueIndexes } from '../../definitions/catalog.ts'
import type { Access, RecordScope } from '../../query/access.ts'
import { columnExpression, compileSelect } from '../../query/compile-select.ts'
import { type Condition, noCriteria } from '../../query/criteria/criteria.ts'
import type { Operator } from '../../query/criteria/operators.ts'
import { planSelect } from '../../query/plan-select.ts'
import { anywhere, atBeginning } from '../../query/search/patterns.ts'

/** How a record matches; the first are the best. */
export const matches = ['exact', 'prefix', 'contained'] as const

export type Found = {
  readonly entity: string
  readonly id: number
  /** The display field as text; the id where it is empty, hidden or not defined. */
  readonly display: string
  readonly field: string
  readonly match: (typeof matches)[number]
}

/** An entity, and what the caller may read of it. */
export type Place = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  readonly scope: RecordScope
  readonly timeZone: string
}

type Step = Pick<Found, 'field' | 'match'> & { readonly where: Condition }

/** Adds the best records to `found`, until there are `limit` of this entity. */
export const findInEntity = async (
  database: Queryable,
  place: Place,
  words: readonly string[],
  { limit, found }: { readonly limit: number; readonly found: Found[] },
): Promise<void> => {
  const display = displayOf(place)
  const known = new Set<number>()
  for (const step of stepsOf(place, display, words)) {
    if (known.size >= limit) return
    const rows = await select(database, place, display, step.where, limit + known.size)
    for (const { id, display: name } of rows) {
      if (known.has(id) || known.size >= limit) continue
      known.add(id)
      const { field, match } = step
      found.push({ entity: place.entity.key, id, display: name ?? String(id), field, match })
    }
  }
}

/** The column that names a record, if the caller may see it. */
const displayOf = ({ entity, access }: Place): Column | undefined => {
  const column = entity.columnsByName.get(entity.definition.displayField ?? '')
  return column && access.maySee(entity, column) ? column : undefined
}

/** What to look for, the best first. */
const stepsOf = (
  { entity, access }: Place,
  display: Column | undefined,
  words: readonly string[],
): readonly Step[] => {
  const text = words.join(' ')
  const keys = uniqueIndexes(entity).flatMap(({ columns }) => (columns.length === 1 ? columns : []))
  const exact = ['id', ...keys].flatMap((name): Step[] => {
    const column = entity.columnsByName.get(name)
    const value = column && access.maySee(entity, column) ? valueFor(column, text) : undefined
    return value === undefined
      ? []
      : [{ field: name, match: 'exact', where: compare(name, '$eq', value) }]
  })
  if (display?.type.comparison !== 'text') return exact
  const field = display.name
  const contained = words.map((word) => compare(field, '$ilike', anywhere(word)))
  return [
    ...exact,
    { field, match: 'prefix', where: compare(field, '$ilike', atBeginning(text)) },
    { field, match: 'contained', where: { kind: 'and', conditions: contained } },
  ]
}

const compare = (field: string, operator: Operator, value: string | number): Condition => ({
  ...{ kind: 'compare', field, operator, value, at: 'q' },
})

/** The text as a value of the column; undefined if it has no such value. */
const valueFor = ({ type }: Column, text: string): string | number | undefined => {
  const value = type.cell === 'integer' && /^\d{1,10}$/.test(text) ? Number(text) : text
  return 'value' in type.checkSearched(value, 'UTC') ? value : undefined
}

type Row = { readonly id: number; readonly display: string | null }

// Longer names are cut: a caller picks from a list.
const longestDisplay = 200

/** The newest records that match: in a large table, the first ones are enough for PostgreSQL. */
const select = (
  database: Queryable,
  place: Place,
  display: Column | undefined,
  where: Condition,
  limit: number,
): Promise<readonly Row[]> => {
  const plan = planSelect({
    ...place,
    criteria: { ...noCriteria, where, orderBy: [{ field: 'id', descending: true, at: 'q' }] },
    columns: [],
    page: { limit, offset: 0 },
  })
  const name = display
    ? `left(${display.type.csvText(columnExpression({ alias: 't', column: display }))}, ${longestDisplay})`
    : 'NULL'
  // Not prepared: the plan depends on how many records have the text.
  return queryOnce<Row>(database, compileSelect(plan, raw(`t."id" AS id, ${name} AS display`)))
}
