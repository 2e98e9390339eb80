/** Fills cells with a range that was copied in a spreadsheet: what it says for the cells from one on, read by the types of their fields. */
import { type ClipboardEvent, useState } from 'react'
import { searchRecords } from '../../api/client.ts'
import type { Entity, Field } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { type InputKind, kindOf } from '../format/field-kinds.ts'
import { nameOfChoice, type Reading } from '../format/format-value.ts'
import type { Place } from '../grid/grid-props.ts'
import { useReading, useSession } from '../session/session.ts'
import { type Entities, linkedEntity } from '../values/columns.ts'
import { fromLocalTime, toLocalTime } from '../values/local-text.ts'
import { fromNumberText, fromWholeText } from '../values/number-text.ts'
import { readLocal } from '../values/temporal-text.ts'
import { readTable } from './table-text.ts'
import { type Lines, type LinesForm, mostLines } from './use-lines.ts'

/** From a cell on; rows below the last one are new lines. `said` is for users who do not see the cells. */
export const usePaste = (form: LinesForm, lines: Lines) => {
  const { entities } = useSession()
  const reading = useReading()
  const texts = useWorkTexts().lines
  const [said, setSaid] = useState('')
  const paste = async (text: string, { row: firstRow, column: firstColumn }: Place) => {
    const { rows, write } = lines
    const table = readTable(text)
    const room = form.rights.mayCreate ? mostLines : rows.length
    const shown = table.slice(0, Math.max(0, room - firstRow))
    const more = lines.begin(Math.max(0, firstRow + shown.length - rows.length))
    const columns = form.related.typed.slice(firstColumn)
    const fields = columns.map(
      (column) => lines.columns.find(({ listColumn }) => listColumn === column)?.field,
    )
    const cells = await readPasted(shown, fields, { reading, entities })
    const written = cells.flatMap(({ row: below, at, field, value, linked }) => {
      const row = firstRow + below
      const line = more[row - rows.length]
      const target = line
        ? { row: { id: line.key }, saved: undefined, line }
        : lines.fieldAt({ row, column: firstColumn + at })?.at
      const column = field.column ?? field.key
      return target ? [{ row: target, column, value, linked }] : []
    })
    write(written, more)
    setSaid(texts.pasted(shown.length, table.length))
  }
  const tried = (text: string, place: Place) =>
    paste(text, place).catch((error: Error) => setSaid(error.message))
  return {
    said,
    paste: tried,
    onPaste: (event: ClipboardEvent, place: Place) => {
      const text = event.clipboardData.getData('text/plain')
      if (text === '' || form.isSaving) return
      event.preventDefault()
      void tried(text, place)
    },
  }
}

// What a pasted range says for the cells from one on: values by row and column, for cells that the user may enter.

/** A value for a cell, by how far its row is below the first one. */
type PastedCell = {
  readonly row: number
  /** How far it is behind the first column. */
  readonly at: number
  readonly field: Field
  readonly value: unknown
  readonly linked: string | undefined
}

/** The fields that a pasted row writes, from the first column on; undefined for those that it leaves as they are. */
type PasteFields = readonly (Field | undefined)[]

/** Reads pasted cells; links are found by what records are called, if only one is called so. */
const readPasted = async (
  table: readonly (readonly string[])[],
  fields: PasteFields,
  { reading, entities }: { readonly reading: Reading; readonly entities: Entities },
): Promise<readonly PastedCell[]> => {
  const names = await Promise.all(
    fields.map((field, at) =>
      field && kindOf(field).isLink
        ? findNamed(
            field,
            table.map((cells) => cells[at] ?? ''),
            entities,
          )
        : new Map<string, NamedRecord>(),
    ),
  )
  return table.flatMap((cells, row) =>
    cells.flatMap((text, at): readonly PastedCell[] => {
      const field = fields[at]
      if (!field) return []
      if (!kindOf(field).isLink || text.trim() === '')
        return [{ row, at, field, value: readCell(text, field, reading), linked: undefined }]
      const found = names[at]?.get(text.trim())
      // A text that names no record is no id: its cell shows it as a fault.
      const name = found?.name ?? text.trim()
      return [{ row, at, field, value: found?.id ?? name, linked: name }]
    }),
  )
}

// Reads what was pasted into cells by the types of their fields; what cannot be read stays as it is, and is a fault of its cell.

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
const readCell: Read = (text, field, reading) =>
  text.trim() === '' ? null : (readers[kindOf(field).input]?.(text, field, reading) ?? text)

/** A link that a text names. */
type NamedRecord = { readonly id: number; readonly name: string }

const mostNames = 1000

/**
 * The records that texts name by the display field of the entity, without regard to case; of a name that several have, none. Of
 * an entity that the user may not read there are none.
 */
const findNamed = async (
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
