/** Marks e-mails as sent: one statement at a time, with all that were sent while the last one ran. */
import type { Pool } from '../../database/pool.ts'
import { markSent } from '../delivery-store.ts'

type Batch = { readonly ids: number[]; readonly marked: Promise<void> }

/** Answers with what marks one, which resolves when it is kept; one that comes alone is marked at once. */
export const createMarker = (pool: Pool): ((id: number) => Promise<void>) => {
  let last: Promise<unknown> = Promise.resolve()
  let open: Batch | undefined
  return (id) => {
    if (!open) {
      const ids: number[] = []
      const marked = last.then(() => {
        open = undefined
        return markSent(pool, ids)
      })
      last = marked.catch(() => undefined)
      open = { ids, marked }
    }
    open.ids.push(id)
    return open.marked
  }
}
