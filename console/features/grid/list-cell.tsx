/** The cells of a list: a value as its type is read, a link to its record, or what is being changed in the cell. */
import { type ReactNode, Suspense, useMemo } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { later } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import { kindOf } from '../format/field-kinds.ts'
import { type Reading, valueAt } from '../format/format-value.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { useReading } from '../session/session.ts'
import { type ListColumn, textAt } from '../values/columns.ts'
import { StepBadge } from '../workflow/step-badge.tsx'
import { type CellEdits, cellKey, isRowOutdated } from './cell-edits.tsx'
import type { RenderCell } from './grid-props.ts'
import { hasRoom } from './text-width.ts'
import { type Cells, loadSaving } from './use-cells.ts'

const MarkedCell = later(async () => (await import('../values/marked-cell.tsx')).MarkedCell)

const ChangedCell = later(async () => (await import('./cell-editor.tsx')).ChangedCell)

/** Loads what a change of a cell needs before it is needed. */
export const prepareEditor = (): void => {
  // If the service is away, the user reads so when editing a cell.
  void Promise.all([ChangedCell.preload(), loadSaving()]).catch(() => undefined)
}

// Types and texts of what may be the address of a page, an e-mail or a telephone.
const addressLike = /^[+(0]|[:@]/

type CellProps = {
  readonly row: RecordRow
  readonly column: ListColumn
  readonly entity: Entity
  /** Whether its link is reached by the Tab key. */
  readonly isTabStop?: boolean
  /** The room of its text, in pixels: a text that surely fits need not be clipped, which costs browsers work in every frame. */
  readonly room?: number | undefined
}

/** How the values of a list are read, and the words that it is searched for. */
type CellReading = { readonly reading: Reading; readonly words: string }

export const ListCell = (props: CellProps): ReactNode =>
  cellContent(props, { reading: useReading(), words: '' })

/** What a cell shows. A list has hundreds of cells: a component for each costs more than what it shows. */
const cellContent = (
  { row, column, entity, isTabStop = false, room = 0 }: CellProps,
  { reading, words }: CellReading,
): ReactNode => {
  if (column.path === '_step')
    return <StepBadge entity={entity} step={valueAt(row, column.place)} />
  const text = textAt(row, column, reading)
  const target = targetOf(row, column, entity)
  const { address, isFiles } = kindOf(column.field)
  const isAddress =
    !target && address !== undefined && (address === 'number' || addressLike.test(text))
  const shown =
    (words === '' && !isAddress && !isFiles) || text === '' ? (
      text
    ) : (
      <Suspense fallback={text}>
        <MarkedCell
          row={row}
          column={column}
          entity={entity}
          text={text}
          words={words}
          isAddress={isAddress}
        />
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

/** The record that a cell leads to: the row's own by its name, or the linked one. */
const targetOf = (row: RecordRow, { path, link, leads }: ListColumn, entity: Entity) => {
  if (leads || path === entity.displayField) return { entity: entity.key, id: row.id }
  const id = link && row[link.idColumn]
  return link?.entity !== undefined && typeof id === 'number'
    ? { entity: link.entity, id }
    : undefined
}

/** What the cells of a list show; the function is another one when any of them may show something else. */
export const useRenderCell = (cells: Cells, words: string): RenderCell => {
  const reading = useReading()
  const { marks } = useTexts().cells
  return useMemo(() => {
    const { entity, edits, open } = cells
    const known = { reading, words }
    return (row, column, { index, isActive, isFirst, room }) => {
      const mark = isFirst ? row.$mark : undefined
      const value = cellContent(
        { row, column, entity, room: mark === undefined ? room : undefined },
        known,
      )
      const isOpen = open?.place.row === index && open.listColumn.path === column.path
      const content =
        isOpen || isChanged(edits, row, column) ? (
          <Suspense fallback={value}>
            <ChangedCell
              row={row}
              column={column}
              cells={cells}
              show={(changed) => cellContent({ row: changed, column, entity }, known)}
              isActive={isActive}
              isOpen={isOpen}
            />
          </Suspense>
        ) : (
          value
        )
      if (mark === undefined) return content
      return (
        <>
          {content}
          <span className="row-mark">{marks[mark]}</span>
        </>
      )
    }
  }, [cells, reading, words, marks])
}

// A list has hundreds of cells, and seldom one that was changed.
const isChanged = (edits: CellEdits, row: ListRow, column: ListColumn): boolean =>
  edits.size > 0 && (edits.has(cellKey(row.id, column)) || isRowOutdated(edits, row, column))
