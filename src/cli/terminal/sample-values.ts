/** A record to create by hand: values that its fields accept, unlike those of the last start. */

import { type Pool, queryRows } from '../../database/pool.ts'
import { bound, join, ref, sql, table } from '../../database/sql.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import { exampleOf } from '../../http/openapi/example-value.ts'

/** The columns that a create must name. */
export const neededColumns = (entity: Entity): Column[] =>
  entity.columns.filter(
    ({ field, isSystem }) =>
      !isSystem && 'required' in field && field.required === true && !('default' in field),
  )

/** A body that creates a record, or undefined where it would have to link to another one. */
export const sampleBody = (entity: Entity): Record<string, unknown> | undefined => {
  const columns = neededColumns(entity)
  if (columns.some(({ target }) => target !== undefined)) return undefined
  const values = columns.map((column) => [column.name, sampleOf(entity, column)] as const)
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
}

const attempts = 50

/** Such a body with which no record shares what is unique, as far as a few attempts find one. */
export const freeSampleBody = async (pool: Pool, entity: Entity): Promise<object | undefined> => {
  for (let attempt = 1; ; attempt++) {
    const body = sampleBody(entity)
    if (!body || attempt === attempts || !(await isTaken(pool, entity, body))) return body
  }
}

const isTaken = async (
  pool: Pool,
  entity: Entity,
  body: Readonly<Record<string, unknown>>,
): Promise<boolean> => {
  const same = entity.columns
    .filter((column) => isUnique(column) && column.name in body)
    .map(({ name, type }) => {
      const value = bound(String(body[name]), type.sqlType())
      return sql`t.${ref(name)} = ${value}`
    })
  if (same.length === 0) return false
  const taken = sql`SELECT FROM ${table(entity)} t WHERE ${join(same, ' OR ')} LIMIT 1`
  return (await queryRows(pool, taken)).length > 0
}

const isUnique = ({ field }: Column): boolean => 'unique' in field && field.unique === true

/** Unique texts keep their form, but other letters and digits stand in it. */
const sampleOf = (entity: Entity, column: Column): unknown => {
  const example = exampleOf(entity, column)
  if (!isUnique(column) || typeof example !== 'string') return example
  if (!('pattern' in column.field) && column.field.type === 'string')
    return endingWith(example, Date.now().toString(36), column.field.maxLength)
  for (let attempt = 0; attempt < attempts; attempt++) {
    // Some texts keep their beginning, such as the scheme of a URL.
    const kept = attempt % 2 === 0 ? 0 : Math.ceil(example.length / 2)
    const varied =
      example.slice(0, kept) + example.slice(kept).replaceAll(/[A-Z]|[a-z]|[0-9]/g, varyCharacter)
    const verdict = column.type.check(varied, 'UTC')
    if ('value' in verdict) return varied
  }
  return example
}

/** What makes the text unlike others stands at its end, and stays whole where the text is cut. */
const endingWith = (text: string, suffix: string, maxLength = 255): string => {
  const room = maxLength - suffix.length - 1
  return room < 1 ? suffix.slice(-maxLength) : `${text.slice(0, room)} ${suffix}`
}

const varyCharacter = (character: string): string => {
  const [first, size] = /[A-Z]/.test(character)
    ? ['A', 26]
    : /[a-z]/.test(character)
      ? ['a', 26]
      : ['0', 10]
  return String.fromCharCode(String(first).charCodeAt(0) + Math.floor(Math.random() * Number(size)))
}
