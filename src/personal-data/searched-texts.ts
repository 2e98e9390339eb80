/**
 * The texts of a person that are looked for in what the service has written elsewhere: in notifications, e-mails, answers and jobs
 * about other records.
 */
import { type Queryable, queryRows, queryValues } from '../database/pool.ts'
import { int, join, ref, type Sql, sql, table, texts } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { personalColumns } from '../definitions/values/placeholders.ts'
import { isHistoryOf } from '../records/history.ts'

// What is said of files is free text with a structure.
const isText = ({ type }: Column): boolean => type.isFreeText && !type.isStructured

// A shorter one is found everywhere, and says too little by itself.
const shortest = 4
const longest = 2_000
const most = 200

/** The personal texts that a record has or had, in any length. */
export const findPersonalTexts = async (
  database: Queryable,
  entity: Entity,
  id: number,
): Promise<readonly string[]> => {
  const columns = personalColumns(entity).filter(
    (column) => isText(column) || column.field.type === 'json',
  )
  if (columns.length === 0) return []
  const own = columns.map(({ name }) => sql`to_json(t.${ref(name)})::text`)
  const rows = await queryRows<{ value: string }>(
    database,
    sql`
      SELECT v.value
      FROM ${table(entity)} t, unnest(ARRAY[${join(own, ', ')}]) v(value)
      WHERE t.id = ${int(id)} AND v.value IS NOT NULL
      UNION
      SELECT v.value::text
      FROM docket.history h, json_each(h.changes) c, LATERAL (
        VALUES (c.value -> 'before'), (c.value -> 'after')
      ) v(value)
      WHERE ${isHistoryOf(entity, int(id))} AND c.key = ANY (${texts(columns.map(({ name }) => name))})
        AND v.value IS NOT NULL`,
  )
  const found = rows.flatMap(({ value }) => textsIn(JSON.parse(value)))
  return [...new Set(found)].filter((one) => !/^anonymised-\d+/.test(one))
}

/** The texts in a JSON value, without the names of its members. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * Those of them that are looked for elsewhere, the longest first: not what another record has too, such as a city or a first name,
 * which is about no single person.
 */
export const searchedOf = async (
  database: Queryable,
  entity: Entity,
  id: number,
  found: readonly string[],
): Promise<readonly string[]> => {
  const fitting = found
    .filter(({ length }) => length >= shortest && length <= longest)
    .toSorted((one, other) => other.length - one.length)
    .slice(0, most)
  const shared = personalColumns(entity)
    .filter(isText)
    .map((column) => isShared(entity, column, id))
  if (fitting.length === 0 || shared.length === 0) return fitting
  return queryValues<string>(
    database,
    sql`
      SELECT v.value
      FROM unnest(${texts(fitting)}) WITH ORDINALITY v(value, place)
      WHERE ${join(shared, ' AND ')}
      ORDER BY v.place`,
  )
}

const isShared = (entity: Entity, { name }: Column, id: number): Sql => sql`NOT EXISTS (
  SELECT FROM ${table(entity)} o WHERE o.${ref(name)} = v.value AND o.id <> ${int(id)}
)`

/** Whether a text of SQL may contain one of the searched ones; JSON has them escaped. */
export const mayContain = (value: Sql, searched: readonly string[], isJson: boolean): Sql => {
  const patterns = searched.map((one) => {
    const written = isJson ? escaped(one) : one
    return `%${written.replaceAll(/[\\%_]/g, '\\$&')}%`
  })
  return sql`${value} ILIKE ANY (${texts(patterns)})`
}

const escaped = (value: string): string => JSON.stringify(value).slice(1, -1)

/** Puts the placeholder in place of the searched texts, where they are not a part of a longer word. */
export const createForget = (
  searched: readonly string[],
  placeholder: string,
): ((value: string, isJson: boolean) => string) => {
  const patternOf = (isJson: boolean) => {
    const words = searched.map((one) => RegExp.escape(isJson ? escaped(one) : one))
    // In JSON a letter before it may be the end of an escape, such as that of a new line.
    const before = `(?:(?<![\\p{L}\\p{N}])${isJson ? '|(?<=\\\\[bfnrt])' : ''})`
    return new RegExp(`${before}(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  }
  const patterns = { json: patternOf(true), plain: patternOf(false) }
  return (value, isJson) =>
    searched.length === 0
      ? value
      : value.replace(isJson ? patterns.json : patterns.plain, () => placeholder)
}

/** The placeholder of a record in texts. */
export const placeholderText = (id: number): string => `anonymised-${id}`
