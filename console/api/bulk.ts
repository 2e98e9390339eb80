/** Writing many records at once: which ones are meant, what happens to each, and requests that may be repeated. */
import { queryOptions } from '@tanstack/react-query'
import type { BulkOutcome } from '../../src/bulk/endpoint.ts'
import type { ActionOfRecords } from '../../src/workflow/workflow-schemas.ts'
import { ApiProblem, newIdempotencyKey, request, searchRecords } from './client.ts'
import { userKey } from './queries.ts'
import type { Criteria, Entity, RecordPage, RecordRow } from './types.ts'

/** What is to be done with each record, as the service takes it. */
export type Instruction =
  | { readonly change: Readonly<Record<string, unknown>> }
  | {
      readonly action: string
      readonly values?: Readonly<Record<string, unknown>>
      readonly comment?: string
    }
  | { readonly remove: true }
  | { readonly takeOwnership: true }

export type Outcome = BulkOutcome & { readonly id: number }

/** A record that is meant, as it was when it was read. */
export type Target = {
  readonly id: number
  readonly version: number
  readonly name: string
  readonly row: RecordRow
}

/** The most records of one request. */
const mostRecords = 1000
const mostCharacters = 16 * 1024 * 1024

/** How many records one request takes: the service limits what it has to write for all of them. */
export const chunkSizeOf = (instruction: Instruction): number =>
  Math.max(
    1,
    Math.min(mostRecords, Math.floor(mostCharacters / JSON.stringify(instruction).length)),
  )

type Reading = {
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  /** Columns that are read besides the name. */
  readonly columns: readonly string[]
  readonly signal: AbortSignal
}

/** The records that match now, with their versions. */
export const readTargets = async (
  { key, displayField }: Entity,
  { criteria, columns, signal }: Reading,
): Promise<readonly Target[]> => {
  const $select = [...new Set(['id', '_version', displayField, ...columns])]
  const targets: Target[] = []
  let cursor: string | null | undefined = null
  do {
    const body = { ...criteria, $select, $orderBy: ['id'], $after: cursor }
    const page: RecordPage = await searchRecords(key, body, { limit: mostRecords, signal })
    for (const row of page.data)
      targets.push({
        id: row.id,
        version: Number(row._version),
        row,
        name: String(row[displayField] ?? row.id),
      })
    cursor = page.next
  } while (typeof cursor === 'string')
  return targets
}

const mostTries = 4

/** Sends it again where another try may help; the key lets the service write only once. */
export const writeMany = async (entity: string, body: object): Promise<readonly Outcome[]> => {
  const headers = { 'Idempotency-Key': newIdempotencyKey() }
  for (let tries = 1; ; tries += 1) {
    try {
      const options = { method: 'POST', headers, body } as const
      const answer = await request<{ data: readonly Outcome[] }>(`/${entity}/bulk`, options)
      return answer.data
    } catch (error) {
      const mayHelp = error instanceof ApiProblem && (error.status === 0 || error.status === 503)
      if (!mayHelp || tries === mostTries) throw error
      await new Promise((resolve) =>
        setTimeout(resolve, (error.retryAfter ?? 2 ** (tries - 1)) * 1000),
      )
    }
  }
}

/** The most records of one question. */
export const mostAsked = 100

/** By key of an action, for how many of the records it is open; an action that is open for none is left out. */
export const actionsOfManyQuery = (entity: string, ids: readonly number[]) =>
  queryOptions({
    queryKey: [userKey, 'list', entity, 'actions', ids],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
      const { data } = await request<{ data: readonly ActionOfRecords[] }>(`/${entity}/actions`, {
        method: 'POST',
        body: { ids },
        signal,
      })
      return new Map(data.map((one) => [one.key, one.ids.length]))
    },
  })
