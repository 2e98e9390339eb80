/** The engine: how soon a change is told, to one person and to very many, and how much it keeps up with. */
import type { Note, Place } from '../place.ts'
import type { Table } from '../report.ts'
import { openFanOutPlace } from './fan-out-place.ts'
import { measureDrain } from './measure-drain.ts'
import { measureGroup } from './measure-group.ts'
import { measurePush } from './measure-push.ts'

/** Tables of the push, of one event to everyone, and of a backlog that is worked off. */
export const benchFanOut = async (place: Place, note: Note): Promise<readonly Table[]> => {
  note('Filling people who are told …\n')
  const fanOut = await openFanOutPlace(place)
  try {
    const push = await measurePush(fanOut)
    note('Measured the push of changes.\n')
    const group = await measureGroup(fanOut)
    note('Measured an event to everyone.\n')
    return [...push, group, await measureDrain(fanOut, note)]
  } finally {
    await fanOut.close()
  }
}
