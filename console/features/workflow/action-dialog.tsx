/** Takes an action on a record. It waits for the answer of the service. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, use, useState } from 'react'
import { ApiProblem, request } from '../../api/client.ts'
import type { OpenAction } from '../../api/open-actions.ts'
import { userKey } from '../../api/queries.ts'
import { recordQuery } from '../../api/record.ts'
import type { Entity } from '../../api/types.ts'
import { TypedRecipients } from '../values/typed-recipients.tsx'
import { openFormFields } from './action-fields.ts'
import { ActionForm } from './action-form.tsx'
import { actionName } from './action-name.ts'
import { TakenActionsContext } from './taken-actions.ts'
import { type ActionValues, printAction, useActionValues } from './use-action-values.ts'

type DialogProps = {
  readonly entity: Entity
  readonly id: number
  /** What the record is called. */
  readonly name: string
  readonly action: OpenAction
  readonly etag: string | undefined
  readonly onClose: () => void
}

/** The record is not what was on the screen or is gone, or the action is not open any more. */
const isStale = (error: Error): boolean =>
  error instanceof ApiProblem && [404, 409, 412].includes(error.status)

const useAction = (
  { entity, id, name, action, etag, onClose }: DialogProps,
  onSent: () => void,
) => {
  const onTaken = use(TakenActionsContext)
  const client = useQueryClient()
  // What was on the screen when it was asked for. Whoever was told of a change, and tries again, means the current one.
  const [seen, setSeen] = useState<string | undefined>(etag)
  const reread = () => client.invalidateQueries({ queryKey: [userKey, 'record', entity.key, id] })
  return useMutation({
    mutationFn: (given: ActionValues) =>
      request(`/${entity.key}/${id}/proceedToStep`, {
        method: 'POST',
        ...(seen !== undefined && { headers: { 'If-Match': seen } }),
        body: printAction(action, given),
      }),
    onSuccess: async () => {
      onSent()
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
      // A queue has gone on when the form closes, so the decided record is not shown once more.
      await client.invalidateQueries({ queryKey: [userKey, 'approvals'] })
      const isRead = reread()
      if (!onTaken) await isRead
      onTaken?.({ entity: entity.key, id, name, to: action.to })
      onClose()
    },
    onError: async (error) => {
      if (!isStale(error)) return
      await reread()
      setSeen(client.getQueryData(recordQuery(entity.key, id, undefined).queryKey)?.etag)
    },
  })
}

export const ActionDialog = (props: DialogProps): ReactNode => {
  const { entity, id, action, onClose } = props
  const typed = useActionValues(openFormFields(entity, action), `${entity.key}/${id} ${action.key}`)
  const act = useAction(props, typed.kept.forget)
  return (
    <ActionForm
      action={action}
      typed={typed}
      onClose={onClose}
      title={`${actionName(action)}: ${props.name}`}
      error={act.error}
      isPending={act.isPending}
      onSubmit={act.mutate}
    >
      <TypedRecipients
        entity={entity}
        values={typed.values}
        intent={{ operation: 'proceedToStep', action: action.key, entityIds: [id] }}
      />
    </ActionForm>
  )
}
