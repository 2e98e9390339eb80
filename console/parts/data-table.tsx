/** A table of some rows, each a card on a phone; rows may be selected. Arrow keys move from row to row. */
import type { KeyboardEvent, ReactNode } from 'react'
import './data-table.css'

export type TableColumn<T> = {
  readonly key: string
  readonly label: string
  readonly render: (row: T) => ReactNode
  /** Whether digits stand below each other. */
  readonly isNumeric?: boolean
  /** Texts share the width that is left; other columns take what they need. */
  readonly isWide?: boolean
}

type TableSelection<T> = {
  readonly selected: ReadonlySet<number>
  readonly onSelect: (id: number, isSelected: boolean) => void
  readonly idOf: (row: T) => number
  readonly mayBeSelected: (row: T) => boolean
  readonly labelOf: (row: T) => string
}

type TableProps<T> = {
  readonly label: string
  readonly columns: readonly TableColumn<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string | number
  readonly selection?: TableSelection<T>
}

const rowSteps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
const focusable = 'a, button, input, summary'

/** Moves the focus to what stands at the same place of the row above or below. */
const onKeyDown = (event: KeyboardEvent<HTMLTableElement>): void => {
  const step = rowSteps[event.key]
  const target = event.target
  if (step === undefined || !(target instanceof Element)) return
  const row = target.closest('tbody > tr')
  const next = step > 0 ? row?.nextElementSibling : row?.previousElementSibling
  if (!row || !next) return
  const place = [...row.querySelectorAll(focusable)].indexOf(target)
  const all = [...next.querySelectorAll<HTMLElement>(focusable)]
  const found = all[place] ?? all.at(-1)
  if (!found) return
  event.preventDefault()
  found.focus()
}

export const DataTable = <T,>(props: TableProps<T>): ReactNode => {
  const { label, columns, rows, keyOf } = props
  // A column of nothing but blanks would only take room.
  const selection = rows.some((row) => props.selection?.mayBeSelected(row))
    ? props.selection
    : undefined
  return (
    <table className="data-table" aria-label={label} onKeyDown={onKeyDown}>
      <thead>
        <tr>
          {selection && <td className="data-select" />}
          {columns.map((column) => (
            <th
              key={column.key}
              scope="col"
              data-numeric={column.isNumeric || undefined}
              data-wide={column.isWide || undefined}
            >
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {selection && <SelectCell row={row} selection={selection} />}
            {columns.map((column) => (
              <td
                key={column.key}
                data-label={column.label}
                data-numeric={column.isNumeric || undefined}
                data-wide={column.isWide || undefined}
              >
                {column.render(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type SelectProps<T> = { readonly row: T; readonly selection: TableSelection<T> }

const SelectCell = <T,>({ row, selection }: SelectProps<T>): ReactNode => {
  const id = selection.idOf(row)
  return (
    <td className="data-select">
      {selection.mayBeSelected(row) && (
        <input
          type="checkbox"
          aria-label={selection.labelOf(row)}
          checked={selection.selected.has(id)}
          onChange={({ target }) => selection.onSelect(id, target.checked)}
        />
      )}
    </td>
  )
}
