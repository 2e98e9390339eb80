/** Imports of files: what the service finds in one, what it would do with it, and the runs of the user. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ImportLook } from '../../../src/import/look-endpoint.ts'
import type { ImportFaultyRows, ImportUndo } from '../../../src/import/mend-endpoints.ts'
import type { Correction } from '../../../src/import/mend-rows.ts'
import type { ImportRunAnswer } from '../../../src/import/run-list.ts'
import { ApiProblem, open, request, send } from '../client.ts'
import { userKey } from '../queries.ts'

export type { Correction, ImportFaultyRows, ImportLook, ImportUndo }
export type ImportRun = ImportRunAnswer
export type ImportColumn = ImportLook['columns'][number]

/** What the user says of the file and of its columns; what they do not say is found in it. */
export type ImportSettings = {
  /** Key of an import of the definition. */
  readonly import?: string
  /** Of what was saved and chosen, for the page alone: undefined as long as nothing is chosen, empty: none. */
  readonly saved?: string | undefined
  readonly mode: ImportRun['mode']
  readonly match: readonly string[]
  readonly emptyCells: 'keep' | 'clear' | 'default'
  readonly format?: ImportLook['format']
  readonly encoding?: string
  readonly separator?: string
  readonly sheet?: string
  /** By head; null: the column is left out, of `*` all others whose heads are not known. */
  readonly columns: Readonly<Record<string, ColumnChoice | null>>
}

export type ColumnChoice = {
  readonly field: string
  readonly decimal?: '.' | ','
  readonly dates?: string
}

/** A file of the user's computer; each one that is chosen has another key, also if its name is the same. */
export type ChosenFile = { readonly file: File; readonly key: number }

const key = [userKey, 'imports'] as const

const busyTries = 30
const busyMs = 1_000

const isBusy = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'request.saturated'

type Upload = {
  readonly path: string
  readonly chosen: ChosenFile
  readonly settings: ImportSettings
  readonly isDryRun?: true
  /** Says that nobody waits for the answer any more: then it is not sent again. */
  readonly signal?: AbortSignal
}

/** The service reads few files at the same time; while it is busy with others, the file waits. */
const upload = async <T>(sent: Upload): Promise<T> => {
  for (let tries = 1; ; tries += 1)
    try {
      return await sendFile<T>(sent)
    } catch (error) {
      if (!isBusy(error) || tries === busyTries || sent.signal?.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, busyMs))
    }
}

const sendFile = async <T>({ path, chosen: { file }, settings, isDryRun }: Upload): Promise<T> => {
  const { columns, match, saved: _, ...said } = settings
  const response = await open(path, {
    method: 'POST',
    query: {
      ...said,
      file: file.name.slice(-200),
      ...(match.length > 0 && { match: match.join(',') }),
      ...(Object.keys(columns).length > 0 && { columns: JSON.stringify(columns) }),
      ...(isDryRun && { dryRun: true }),
    },
    headers: { 'Content-Type': 'application/octet-stream' },
    body: file,
  })
  return response.json() as Promise<T>
}

let earlier: Promise<unknown> = Promise.resolve()

/**
 * Sends one file after the other: the service reads a file to its end also if the page has ended the request. Of those that wait
 * meanwhile the newest alone is sent.
 */
const inTurn = <T>(signal: AbortSignal, sendIt: () => Promise<T>): Promise<T> => {
  const sent = earlier.then(() => {
    signal.throwIfAborted()
    return sendIt()
  })
  earlier = sent.catch(() => undefined)
  return sent
}

/** What an import would make of a file. */
export const lookQuery = (
  entity: string,
  chosen: ChosenFile,
  { saved: _, ...settings }: ImportSettings,
) =>
  queryOptions({
    queryKey: [...key, 'look', entity, chosen.key, settings],
    queryFn: ({ signal }) =>
      inTurn(signal, () =>
        upload<ImportLook>({ path: `/${entity}/import/look`, chosen, settings, signal }),
      ),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

/** Sends a file to be checked; nothing of it is written. */
export const checkFile = (entity: string, chosen: ChosenFile, settings: ImportSettings) =>
  upload<ImportRun>({ path: `/${entity}/import`, chosen, settings, isDryRun: true })

const going: readonly ImportRun['state'][] = ['reading', 'checking', 'writing', 'undoing']

/** Whether the service works on a run. */
export const isGoing = ({ state }: ImportRun): boolean => going.includes(state)

const refreshMs = 500

export const runQuery = (id: number) =>
  queryOptions({
    queryKey: [...key, 'run', id],
    queryFn: async ({ signal }) => {
      const path = `/api/imports/${id}`
      return (await request<{ readonly run: ImportRun }>(path, { signal })).run
    },
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && !isGoing(data) ? false : refreshMs),
  })

const listed = 100

/** The newest runs of the user. */
export const runsQuery = queryOptions({
  queryKey: [...key, 'runs'],
  queryFn: async ({ signal }) => {
    const query = { limit: listed }
    return (await request<{ data: readonly ImportRun[] }>('/api/imports', { query, signal })).data
  },
  staleTime: 0,
})

/** The first rows with faults. */
export const faultyRowsQuery = ({ id, updated_at }: ImportRun, limit: number) =>
  queryOptions({
    queryKey: [...key, 'rows', id, updated_at, limit],
    queryFn: ({ signal }) =>
      request<ImportFaultyRows>(`/api/imports/${id}/rows`, { query: { limit }, signal }),
    placeholderData: keepPreviousData,
  })

export const correctRows = (id: number, corrections: readonly Correction[]) =>
  request<ImportRun>(`/api/imports/${id}/rows`, { method: 'PATCH', body: { corrections } })

/** Writes the rows without a fault, or goes on with it. */
export const startRun = ({ id, faulty }: ImportRun) =>
  request<ImportRun>(`/api/imports/${id}/start`, {
    method: 'POST',
    query: faulty > 0 ? { allOrNothing: false } : {},
  })

export const stopRun = (id: number) =>
  request<ImportRun>(`/api/imports/${id}/stop`, { method: 'POST' })

export const removeRun = (id: number) => send(`/api/imports/${id}`, { method: 'DELETE' })

export const importsKey = key

/** What undoing a run would do, and what an undo has left. */
export const undoQuery = ({ id, state, updated_at }: ImportRun) =>
  queryOptions({
    queryKey: [...key, 'undo', id, state, updated_at],
    queryFn: ({ signal }) => request<ImportUndo>(`/api/imports/${id}/undo`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: state === 'undoing' && refreshMs,
  })

export const undoRun = (id: number) =>
  request<ImportRun>(`/api/imports/${id}/undo`, { method: 'POST' })
