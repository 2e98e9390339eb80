/** Takes back what the user did: a second write, with all checks. */
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiProblem, request } from '../../api/client.ts'
import { ownChangesKey } from '../../api/own/changes.ts'
import { actionsQuery, userKey } from '../../api/queries.ts'
import type { Known, Undo } from './undo-of.ts'

type Write = Extract<Undo, { kind: 'write' }>

export type TakeBack = { readonly known: Known; readonly undo: Write }

/** The service refuses it because of what others did, or because the role may not do it with this record. */
export type TakeBackProblem = 'changedSince' | 'notAllowed' | undefined

export const problemOf = (error: Error): TakeBackProblem => {
  if (!(error instanceof ApiProblem)) return undefined
  if (error.code === 'notAllowed') return 'notAllowed'
  return error.status === 412 ? 'changedSince' : undefined
}

/** Asks the service first where the role alone does not say it: nothing is sent that it refuses. */
const checkRight = async (client: QueryClient, { known, undo }: TakeBack): Promise<void> => {
  const { change } = known
  if (!undo.right) return
  const { may } = await client.fetchQuery(actionsQuery(change.entity, change.entity_id))
  if (!may[undo.right]) throw new ApiProblem(403, { code: 'notAllowed' })
}

export const refreshChanged = async (client: QueryClient, entity: string): Promise<void> => {
  for (const part of ['record', 'approvals', 'tasks'])
    void client.invalidateQueries({ queryKey: [userKey, part] })
  void client.invalidateQueries({ queryKey: [userKey, 'list', entity] })
  await client.invalidateQueries({ queryKey: ownChangesKey })
}

export const useTakeBack = () => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (given: TakeBack) => {
      await checkRight(client, given)
      const { method, path, body, etag } = given.undo
      return request(path, {
        method,
        body,
        ...(etag !== undefined && { headers: { 'If-Match': etag } }),
      })
    },
    onSettled: (_answer, _error, { known }) => refreshChanged(client, known.change.entity),
  })
}
