/** A value in a list, as its type is read; links lead to their records. */
import { lazy, type ReactNode, Suspense } from 'react'
import type { Entity, RecordRow } from '../../api/types.ts'
import { type Reading, valueAt } from '../format/format-value.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { useReading } from '../session/session.ts'
import { type ListColumn, textAt } from '../values/columns.ts'
import { StepBadge } from '../workflow/step-badge.tsx'
import { hasRoom } from './text-width.ts'

const MarkedCell = lazy(async () => ({
  default: (await import('../values/marked-cell.tsx')).MarkedCell,
}))

// Types and texts of what may be the address of a page, an e-mail or a telephone.
const addressed = /string|email|url/
const addressLike = /^[+(0]|[:@]/

type CellProps = {
  readonly row: RecordRow
  readonly column: ListColumn
  readonly entity: Entity
  /** Whether its link is reached by the Tab key. */
  readonly isTabStop?: boolean
  /** Of its text, in pixels: what surely has room need not be clipped, which costs browsers work in every frame. */
  readonly room?: number | undefined
}

/** How the values of a list are read, and the words that it is searched for. */
export type CellReading = { readonly reading: Reading; readonly words: string }

export const ListCell = (props: CellProps): ReactNode =>
  cellContent(props, { reading: useReading(), words: '' })

/** What a cell shows. A list has hundreds of cells: a component for each costs more than what it shows. */
export const cellContent = (
  { row, column, entity, isTabStop = false, room = 0 }: CellProps,
  { reading, words }: CellReading,
): ReactNode => {
  if (column.path === '_step')
    return <StepBadge entity={entity} step={valueAt(row, column.place)} />
  const text = textAt(row, column, reading)
  const target = targetOf(row, column, entity)
  const isAddress = !target && addressed.test(column.field.type) && addressLike.test(text)
  const shown =
    (words === '' && !isAddress) || text === '' ? (
      text
    ) : (
      <Suspense fallback={text}>
        <MarkedCell row={row} column={column} text={text} words={words} isAddress={isAddress} />
      </Suspense>
    )
  const look = words === '' && hasRoom(text, room) ? { className: 'whole' } : undefined
  if (!target)
    return (
      <span dir="auto" title={text} {...look}>
        {shown}
      </span>
    )
  // The keys of a grid open records; a link inside of it is for the mouse.
  const tabIndex = isTabStop ? 0 : -1
  return RecordLink({ ...target, ...look, tabIndex, children: shown || target.id })
}

/** The record that a cell leads to: the row's own by its name, or the one behind a link. */
const targetOf = (row: RecordRow, { path, link, leads }: ListColumn, entity: Entity) => {
  if (leads || path === entity.displayField) return { entity: entity.key, id: row.id }
  const id = link && row[link.idColumn]
  return link?.entity !== undefined && typeof id === 'number'
    ? { entity: link.entity, id }
    : undefined
}
