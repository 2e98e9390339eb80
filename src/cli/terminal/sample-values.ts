/** Makes a sample record with valid values that differ between starts. */

import { type Pool, queryRows } from '../../database/pool.ts'
import { bound, join, ref, sql, table } from '../../database/sql.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import { exampleOf } from '../../http/openapi/example-value.ts'

/** The required columns of a new record. */
export const neededColumns = (entity: Entity): Column[] =>
  entity.columns.filter(
    ({ field, isSystem }) =>
      !isSystem && 'required' in field && field.required === true && !('default' in field),
  )

/** A body for a new record; undefined when it would need a link. */
export const sampleBody = (entity: Entity): Record<string, unknown> | undefined => {
  const columns = neededColumns(entity)
  if (columns.some(({ target }) => target !== undefined)) return undefined
  const values = columns.map((column) => [column.name, sampleOf(entity, column)] as const)
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
}

const attempts = 50

/** A body with unique values that no record has yet, if a few attempts find one. */
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

/** Unique texts keep their form, with other letters and digits. */
const sampleOf = (entity: Entity, column: Column): unknown => {
  const example = exampleOf(entity, column)
  if (!isUnique(column) || typeof example !== 'string') return example
  if (!('pattern' in column.field) && column.field.type === 'string')
    return endingWith(example, Date.now().toString(36), column.field.maxLength)
  for (let attempt = 0; attempt < attempts; attempt++) {
    // Some texts keep their prefix, such as the scheme of a URL.
    const kept = attempt % 2 === 0 ? 0 : Math.ceil(example.length / 2)
    const varied =
      example.slice(0, kept) + example.slice(kept).replaceAll(/[A-Z]|[a-z]|[0-9]/g, varyCharacter)
    const verdict = column.type.check(varied, 'UTC')
    if ('value' in verdict) return varied
  }
  return example
}

/** The varying part is at the end, and is kept when the text is cut. */
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
