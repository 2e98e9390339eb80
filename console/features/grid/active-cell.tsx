/** The cell of a list that keys work on. It is the same when a user comes back to the list, and leads to a row by its number. */
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useCallback, useState } from 'react'
import { laterPart } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { firstPlace, headRow, type Place } from './grid-props.ts'
import type { ListSearch } from './list-state.ts'

const RowDialog = laterPart(async () => (await import('./row-dialog.tsx')).RowDialog)

// By the entry of the browser's history, until the page is closed.
const placesByEntry = new Map<string | undefined, Place>()

/** The active cell. Another filter or order makes the first cell active, but leaves the head by which the user sorts. */
export const useActive = ({ w, s, q }: ListSearch): readonly [Place, (place: Place) => void] => {
  const { history } = useRouter()
  const rows = JSON.stringify([w, s, q])
  const [state, setState] = useState(() => ({
    rows,
    place: placesByEntry.get(history.location.state.__TSR_key) ?? firstPlace,
  }))
  if (state.rows !== rows)
    setState({ rows, place: state.place.row === headRow ? state.place : firstPlace })
  const setPlace = useCallback(
    (place: Place) => {
      placesByEntry.set(history.location.state.__TSR_key, place)
      setState((now) => ({ ...now, place }))
    },
    [history],
  )
  return [state.place, setPlace]
}

type GoProps = {
  readonly count: number
  readonly active: Place
  readonly onActive: (place: Place) => void
}

/** Ctrl+G asks for the number of a row and makes it active. */
export const GoToRow = ({ count, active, onActive }: GoProps): ReactNode => {
  const { cells } = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  const run = () => {
    // The browser gives the focus back to where it was before the dialog.
    document.querySelector<HTMLElement>('[role=grid]')?.focus()
    setIsOpen(true)
  }
  useShortcuts([{ keys: 'Ctrl+g', label: cells.goToRow, run }])
  if (!isOpen) return null
  return (
    <RowDialog
      count={count}
      row={active.row}
      onRow={(row) => onActive({ ...active, row })}
      onClose={() => setIsOpen(false)}
    />
  )
}
