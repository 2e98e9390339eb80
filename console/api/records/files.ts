/** The files of records: their addresses, and what is read of them. */
import { queryOptions } from '@tanstack/react-query'
import type { ShownFile } from '../../../src/definitions/field-types/files.ts'
import { open, urlOf } from '../client.ts'
import { userKey } from '../queries.ts'
import type { RecordPlace } from './documents.ts'

export type { ShownFile }

/** Of the longer side of a thumbnail in pixels: next to a name, or on a small screen. */
export type ThumbnailSize = 160 | 800

const pathOf = ({ entity, id }: RecordPlace, file: number): string =>
  `/${entity}/${id}/file/${file}`

/** The address of a file, or of a thumbnail of it. */
export const fileAddress = (place: RecordPlace, file: number, size?: ThumbnailSize): string =>
  urlOf(pathOf(place, file), { size })

/** So much of a text is shown. */
export const shownBytes = 262_144

/** The beginning of a text. */
export const fileTextQuery = (place: RecordPlace, file: number) =>
  queryOptions({
    queryKey: [userKey, 'record', place.entity, place.id, 'file', file],
    queryFn: async ({ signal }) => {
      const headers = { Range: `bytes=0-${shownBytes - 1}` }
      return (await open(pathOf(place, file), { signal, headers })).text()
    },
    // The bytes of a file never change.
    staleTime: Number.POSITIVE_INFINITY,
  })
