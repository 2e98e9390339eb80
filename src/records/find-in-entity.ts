/**
 * Finds the records of one entity that a text names: by their name, by its words, by a unique value, or by a link to a
 * found record.
 */
import { type Queryable, queryOnce } from '../database/pool.ts'
import { raw } from '../database/sql.ts'
import {
  type Catalog,
  type Column,
  type Entity,
  nameColumn,
  titleColumn,
  uniqueIndexes,
} from '../definitions/catalog.ts'
import { textLimits } from '../definitions/values/check-text.ts'
import type { Operator } from '../definitions/values/rules/operators.ts'
import type { Access, RecordScope } from '../query/access.ts'
import { columnExpression, compileSelect } from '../query/compile-select.ts'
import { type Condition, noCriteria } from '../query/criteria/criteria.ts'
import { planSelect } from '../query/plan-select.ts'
import {
  beginningOf,
  patternOf,
  type WordPattern,
  wholeOf,
  wordBeginningOf,
} from '../query/search/word-pattern.ts'
import type { PlannedCondition } from '../query/select-plan.ts'

/** How a record matches; the first are the best. */
export const matches = ['exact', 'prefix', 'word', 'contained', 'linked'] as const

export type Found = {
  readonly entity: string
  readonly id: number
  /** The display field as text; the id where it is empty, hidden or not defined. */
  readonly display: string
  readonly field: string
  readonly match: (typeof matches)[number]
  /** What the record is called to which the field links, if that has the text. */
  readonly linked?: string
}

/** An entity, and what the caller may read of it. */
export type Place = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  readonly scope: RecordScope
  readonly timeZone: string
}

type Step = Pick<Found, 'field' | 'match'> & {
  readonly where?: Condition
  readonly named?: PlannedCondition
  /** A link whose ids are read. */
  readonly link?: Column
}

/** A way to match the name, and a better one that implies it. */
type NameSteps = { readonly wide: Step; readonly narrow: Step }

/**
 * Adds records to `found`, among which are the best ones. What a later statement is too slow for was
 * added before.
 */
export const findInEntity = async (
  database: Queryable,
  place: Place,
  words: readonly string[],
  { limit, found }: { readonly limit: number; readonly found: Found[] },
): Promise<void> => {
  const display = displayOf(place)
  const take = async (step: Step, most: number): Promise<readonly Row[]> => {
    const rows = await select(database, place, display, step, most)
    const { field, match } = step
    for (const { id, display: name } of rows)
      found.push({ entity: place.entity.key, id, display: name ?? String(id), field, match })
    return rows
  }
  for (const step of keySteps(place, words.join(' '))) await take(step, limit)
  const named = new Set<number>()
  for (const { wide, narrow } of nameSteps(display, words)) {
    if (named.size >= limit) return
    const most = limit + named.size
    const rows = await take(wide, most)
    // Older records may match better.
    if (rows.some(({ id }) => !named.has(id))) await take(narrow, most)
    for (const { id } of rows) named.add(id)
  }
  const title = titleColumn(place.entity)
  if (named.size >= limit || !title || !place.access.maySee(place.entity, title)) return
  await take(spreadStep(title, display, words), limit + named.size)
}

/** The column that names a record, if the caller may see it. */
export const displayOf = ({ entity, access }: Place): Column | undefined => {
  const column = nameColumn(entity)
  return column && access.maySee(entity, column) ? column : undefined
}

/** Records of which the text is the id or the value of a unique field. */
const keySteps = ({ entity, access }: Place, text: string): readonly Step[] => {
  const keys = uniqueIndexes(entity).flatMap(({ columns }) => (columns.length === 1 ? columns : []))
  return ['id', ...keys].flatMap((name): Step[] => {
    const column = entity.columnsByName.get(name)
    const value = column && access.maySee(entity, column) ? valueFor(column, text) : undefined
    return value === undefined
      ? []
      : [{ field: name, match: 'exact', where: compare(name, '$eq', value) }]
  })
}

/** The best first. */
const nameSteps = (name: Column | undefined, words: readonly string[]): readonly NameSteps[] => {
  if (name?.type.comparison !== 'text') return []
  const { searchedPart } = name.type
  const text = searchedPart(words.join(' '), true)
  const parts = words.map((word) => searchedPart(word, false))
  return [
    {
      wide: textStep(name, 'prefix', [beginningOf(text)]),
      narrow: textStep(name, 'exact', [wholeOf(text)]),
    },
    {
      wide: textStep(name, 'contained', parts.map(patternOf)),
      narrow: textStep(name, 'word', parts.map(wordBeginningOf)),
    },
  ]
}

// LIKE takes the product of both lengths, and PostgreSQL sees no cancel within it; the regular expression decides anyway.
const isShort = ({ type }: Column): boolean =>
  (type.maxLength ?? type.maxBytes) <= textLimits.text.default

const textStep = (
  column: Column,
  match: Found['match'],
  patterns: readonly WordPattern[],
): Step => ({
  field: column.name,
  match,
  named: { kind: 'and', conditions: patterns.map((pattern) => occurrence(column, pattern)) },
})

const occurrence = (column: Column, pattern: WordPattern): PlannedCondition => ({
  kind: 'occurs',
  ref: { alias: 't', column },
  pattern,
  isIndexed: isShort(column),
})

/** Every word is in the title or in the name: people know a part of the number and a part of what it is about. */
const spreadStep = (title: Column, name: Column | undefined, words: readonly string[]): Step => {
  const columns = words.length > 1 && name?.type.comparison === 'text' ? [title, name] : [title]
  const placed = words.map((word): PlannedCondition => {
    const conditions = columns.map((column) =>
      occurrence(column, patternOf(column.type.searchedPart(word, false))),
    )
    return { kind: 'or', conditions }
  })
  return { field: title.name, match: 'contained', named: { kind: 'and', conditions: placed } }
}

const compare = (field: string, operator: Operator, value: string | number): Condition => ({
  kind: 'compare',
  field,
  operator,
  value,
  at: 'q',
})

// 01205 is no way to write the number 1205: people mean these digits.
const hasNeedlessZero = (text: string): boolean => /^[+-]?0\d/.test(text)

/** The text as a value of the column; undefined if it has no such value, or none that people see. */
const valueFor = ({ type, target }: Column, text: string): string | number | undefined => {
  if (target !== undefined || (type.cell !== 'text' && hasNeedlessZero(text))) return undefined
  const value = type.cell === 'integer' && /^\d{1,10}$/.test(text) ? Number(text) : text
  return 'value' in type.checkSearched(value, 'UTC') ? value : undefined
}

type Row = {
  readonly id: number
  readonly display: string | null
  readonly link: number | null
}

// Longer names are cut: a caller picks from a list.
const longestDisplay = 200

/** The newest records that match: in a large table, the first ones are enough for PostgreSQL. */
const select = (
  database: Queryable,
  place: Place,
  display: Column | undefined,
  { where, named, link }: Step,
  limit: number,
): Promise<readonly Row[]> => {
  const plan = planSelect({
    ...place,
    also: named,
    criteria: { ...noCriteria, where, orderBy: [{ field: 'id', descending: true, at: 'q' }] },
    columns: [],
    page: { limit, offset: 0 },
  })
  const name = display
    ? `left(${display.type.csvText(columnExpression({ alias: 't', column: display }))}, ${longestDisplay})`
    : 'NULL'
  const linked = link ? columnExpression({ alias: 't', column: link }) : 'NULL::integer'
  const columns = raw(`t."id" AS id, ${name} AS display, ${linked} AS link`)
  // Not prepared: the plan depends on how many records have the text.
  return queryOnce<Row>(database, compileSelect(plan, columns))
}

/** The first link of the definition that the caller may see: whom a record is about. */
export const mainLink = ({ entity, access }: Place): Column | undefined =>
  entity.columns.find(
    (column) => column.target !== undefined && !column.isSystem && access.maySee(entity, column),
  )

type Linked = {
  readonly link: Column
  /** What the linked records are called, by their ids. */
  readonly names: ReadonlyMap<number, string>
  readonly limit: number
}

/** The newest records of which the link leads to one of these. */
export const findByLink = async (
  database: Queryable,
  place: Place,
  { link, names, limit }: Linked,
): Promise<readonly Found[]> => {
  const field = link.field.key
  const named: PlannedCondition = {
    kind: 'compare',
    ref: { alias: 't', column: link },
    operator: '$in',
    values: [...names.keys()],
  }
  const step = { field, match: 'linked', named, link } as const
  const rows = await select(database, place, displayOf(place), step, limit)
  return rows.flatMap(({ id, display, link: linkedId }) => {
    const linked = names.get(Number(linkedId))
    const found = { entity: place.entity.key, id, display: display ?? String(id), field }
    return linked === undefined ? [] : [{ ...found, match: 'linked' as const, linked }]
  })
}
