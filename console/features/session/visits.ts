/** Records that the user opened last: their ids alone, because a role may lose the right to their names. */
import { useEffect, useEffectEvent } from 'react'
import type { Settings } from '../../api/own/session.ts'
import { placeKey, type RecordPlace } from '../../api/record-names.ts'
import { useConsoleSettings } from './use-console-settings.ts'

const maxVisits = 10

/** The last ones first. */
export const visitsIn = ({ visited }: Settings): readonly RecordPlace[] =>
  (Array.isArray(visited) ? visited : []).flatMap((one: unknown) => {
    const [, entity, id] = /^([^/]+)\/([1-9]\d{0,9})$/.exec(String(one)) ?? []
    return entity === undefined ? [] : [{ entity, id: Number(id) }]
  })

// A record that is passed on the way through a list is no visit.
const stayMs = 2000

/** Remembers a record that is open for a while. */
export const useVisit = (place: RecordPlace): void => {
  const { settings, change } = useConsoleSettings()
  const key = placeKey(place)
  const remember = useEffectEvent(() => {
    const known = visitsIn(settings).map(placeKey)
    if (known[0] === key) return
    change({ visited: [key, ...known.filter((one) => one !== key)].slice(0, maxVisits) })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another record begins its own stay
  useEffect(() => {
    const timer = setTimeout(remember, stayMs)
    return () => clearTimeout(timer)
  }, [key])
}
