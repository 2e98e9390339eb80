/** The text of a cell that is more than a text: words that are searched for are marked, addresses are links, and files have pictures. */
import type { ReactNode } from 'react'
import type { Entity, RecordRow } from '../../api/types.ts'
import { later } from '../../parts/later.tsx'
import { kindOf } from '../format/field-kinds.ts'
import { valueAt } from '../format/format-value.ts'
import { addressOf, outside } from './address-of.ts'
import type { ListColumn } from './columns.ts'
import { MarkedText } from './marked-text.tsx'

const CellFiles = later(async () => (await import('../files/cell-files.tsx')).CellFiles)

type CellProps = {
  readonly row: RecordRow
  readonly column: ListColumn
  /** Of the row. */
  readonly entity: Entity
  readonly text: string
  readonly words: string
  /** Whether it may be an address. */
  readonly isAddress: boolean
}

/** Texts of the record itself, and the names of the records that it links to. */
const isSearchedText = ({ field, place, link }: ListColumn): boolean =>
  kindOf(field).comparedAs === 'text' &&
  !field.isSystem &&
  (place.length === 1 || link !== undefined)

/** Numbers of the record itself, which are found as a whole. */
const isSearchedNumber = ({ field, path, place }: ListColumn): boolean =>
  kindOf(field).isNumber === true && place.length === 1 && (!field.isSystem || path === 'id')

/** Without the zeros that say nothing. */
const shortest = (digits: string): string =>
  digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits

export const MarkedCell = ({ isAddress, entity, ...props }: CellProps): ReactNode => {
  const { row, column } = props
  const value = valueAt(row, column.place)
  if (kindOf(column.field).isFiles) {
    const place = column.place.length === 1 ? { entity: entity.key, id: row.id } : undefined
    return <CellFiles value={value} place={place} />
  }
  const href = isAddress ? addressOf(value, column.field) : undefined
  const marked = props.words === '' ? props.text : <Marked {...props} />
  if (href === undefined) return marked
  // The keys of a grid open records; a link inside of it is for the mouse.
  return (
    <a href={href} {...outside} tabIndex={-1}>
      {marked}
    </a>
  )
}

const Marked = ({
  row,
  column,
  text,
  words,
}: Omit<CellProps, 'isAddress' | 'entity'>): ReactNode => {
  if (isSearchedText(column)) return <MarkedText text={text} words={words} />
  const isFound =
    isSearchedNumber(column) &&
    words
      .split(/\s+/)
      .map(shortest)
      .includes(shortest(String(valueAt(row, column.place))))
  return isFound ? <mark>{text}</mark> : text
}
