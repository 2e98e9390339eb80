/** The printable documents of a record. */
import { queryOptions } from '@tanstack/react-query'
import type { DocumentName } from '../../../src/documents/endpoint.ts'
import { isOutage } from '../availability.ts'
import { open, request, urlOf } from '../client.ts'
import { userKey } from '../queries.ts'

export type { DocumentName }

export type RecordPlace = { readonly entity: string; readonly id: number }

export const documentsQuery = ({ entity, id }: RecordPlace) =>
  queryOptions({
    queryKey: [userKey, 'record', entity, id, 'documents'],
    queryFn: async ({ signal }) => {
      const path = `/${entity}/${id}/documents`
      return (await request<{ data: readonly DocumentName[] }>(path, { signal })).data
    },
  })

/** As what a document is asked for: to be shown by the browser's viewer, or as a picture where it has none. */
export type DocumentForm = 'pdf' | 'picture'

const pathOf = ({ entity, id }: RecordPlace, code: string, form: DocumentForm): string =>
  `/${entity}/${id}/documents/${encodeURIComponent(code)}${form === 'picture' ? '/picture' : ''}`

/** The address of a PDF. */
export const documentAddress = (place: RecordPlace, code: string): string =>
  urlOf(pathOf(place, code, 'pdf'))

const mostTries = 3

/** A document, and the scripts in it that no font has. */
export type PrintedDocument = { readonly content: Blob; readonly missingScripts: string | null }

/** A document as it is now; its error says what is wrong with its template. */
export const documentQuery = (place: RecordPlace, code: string, form: DocumentForm) =>
  queryOptions({
    queryKey: [userKey, 'record', place.entity, place.id, 'documents', code, form],
    queryFn: async ({ signal }): Promise<PrintedDocument> => {
      const response = await open(pathOf(place, code, form), { signal })
      const missingScripts = response.headers.get('X-Missing-Scripts')
      return { content: await response.blob(), missingScripts }
    },
    // A service that answers everything else may be unable to print.
    retry: (failures, error) => failures < mostTries && isOutage(error),
    // It is made again each time, so not without a reason.
    refetchOnWindowFocus: false,
    gcTime: 0,
  })
