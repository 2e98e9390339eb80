/** The cell of a list that keys work on. It is the same when a user comes back to the list. */
import { useRouter } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { firstPlace, headRow, type Place } from './grid-props.ts'
import type { ListSearch } from './list-state.ts'

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
