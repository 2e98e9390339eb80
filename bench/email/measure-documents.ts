/** PDFs of records: one page, many pages, and what they do to other requests. */
import type { Table } from '../report.ts'
import type { MailPlace } from './mail-place.ts'
import { measureList } from './measure-list.ts'
import { measureNeighbours } from './measure-neighbours.ts'
import { measureOrder } from './measure-order.ts'
import { openParts } from './open-parts.ts'

/** The order first, for the service has printed nothing yet. */
export const measureDocuments = async (place: MailPlace): Promise<readonly Table[]> => {
  const parts = await openParts(place)
  try {
    return [
      await measureOrder(place, parts),
      await measureNeighbours(place),
      await measureList(place, parts),
    ]
  } finally {
    await parts.close()
  }
}
