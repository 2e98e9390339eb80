/** Reads what was pasted into cells by the types of their fields; what cannot be read stays as it is, and is a fault of its cell. */
import { searchRecords } from '../../api/client.ts'
import type { Entity, Field } from '../../api/types.ts'
import { type InputKind, kindOf } from '../format/field-kinds.ts'
import { nameOfChoice, type Reading } from '../format/format-value.ts'
import { type Entities, linkedEntity } from '../values/columns.ts'
import { fromLocalTime, toLocalTime } from '../values/local-time.ts'
import { fromNumberText, fromWholeText } from '../values/number-text.ts'
import { readLocal } from '../values/temporal-text.ts'

type Read = (text: string, field: Field, reading: Reading) => unknown

// A unit or a currency around a number: `EUR 12.50`, `12 kg`.
const withoutUnit = (text: string): string =>
  /^\p{L}*\p{Sc}?\s*([+−-]?[\d.,'’\s]*\d)\s*(?:%|\p{Sc}|\p{L}+\d?)?$/u.exec(text.trim())?.[1] ??
  text

const today = (timeZone: string): string =>
  toLocalTime(new Date().toISOString(), timeZone).slice(0, 10)

const day: Read = (text, _field, { locale, timeZone }) =>
  readLocal(text, locale, false, today(timeZone)) ?? text

const moment: Read = (text, _field, { locale, timeZone }) => {
  const local = readLocal(text, locale, true, today(timeZone))
  return (local && fromLocalTime(local, timeZone)) ?? text
}

const choice: Read = (text, field) => {
  const isMeant = (value: string) =>
    [value, nameOfChoice(value, field)].some((one) => isSameText(one, text))
  return field.values?.find(isMeant) ?? text
}

const yesNo: Read = (text, _field, { words }) => {
  if ([words.yes, 'true', '1'].some((one) => isSameText(one, text))) return true
  return [words.no, 'false', '0'].some((one) => isSameText(one, text)) ? false : text
}

const isSameText = (one: string, other: string): boolean =>
  one.toLowerCase() === other.trim().toLowerCase()

const readers: Readonly<Partial<Record<InputKind, Read>>> = {
  whole: (text, _field, { locale }) => fromWholeText(withoutUnit(text), locale),
  decimal: (text, _field, { locale }) => fromNumberText(withoutUnit(text), locale),
  day,
  moment,
  choice,
  yesNo,
  email: (text) => text.trim(),
  url: (text) => text.trim(),
  phone: (text) => text.trim(),
}

/** The value of a text; null for an empty one. */
export const readCell: Read = (text, field, reading) =>
  text.trim() === '' ? null : (readers[kindOf(field).input]?.(text, field, reading) ?? text)

/** A link that a text names. */
export type NamedRecord = { readonly id: number; readonly name: string }

const mostNames = 1000

/**
 * The records that texts name by the display field of the entity, without regard to case; of a name that several have, none. Of
 * an entity that the user may not read there are none.
 */
export const findNamed = async (
  field: Field,
  texts: readonly string[],
  entities: Entities,
): Promise<ReadonlyMap<string, NamedRecord>> => {
  const target = linkedEntity(field, entities)
  const sought = [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))]
  if (!target || sought.length === 0) return new Map()
  const { key, displayField } = target
  const $where = { [displayField]: { $in: valuesOf(target, sought) } }
  const body = { $where, $select: [...new Set(['id', displayField])] }
  const { data } = await searchRecords(key, body, { limit: mostNames })
  const byName = Map.groupBy(data, (row) => String(row[displayField] ?? row.id))
  return new Map(
    [...byName].flatMap(([name, [row, ...others]]) =>
      row && others.length === 0 ? [[name, { id: row.id, name }] as const] : [],
    ),
  )
}

/** Numbers where the display field holds numbers. */
const valuesOf = (
  { fields, displayField }: Entity,
  texts: readonly string[],
): readonly unknown[] => {
  const isWhole = fields.some(({ key, type }) => key === displayField && /^(big)?int/.test(type))
  return isWhole ? texts.filter((text) => /^\d{1,9}$/.test(text)).map(Number) : texts
}
