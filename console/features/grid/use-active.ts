/** The cell of a list that keys work on; whoever comes back to the list finds it where it was. */
import { useRouter } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { firstPlace, headRow, type Place } from './grid-keys.ts'
import type { ListSearch } from './list-state.ts'

// By the entries of the history of the browser, as long as the page is open.
const placesByEntry = new Map<string | undefined, Place>()

/** With another filter or order it is the first one again, but the head that was sorted by. */
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
