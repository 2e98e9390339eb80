/** Takes an action on a record. The dialog stays open until the service has answered. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useState } from 'react'
import { request, statusOf } from '../../api/client.ts'
import type { OpenAction } from '../../api/open-actions.ts'
import { userKey } from '../../api/queries.ts'
import { isUnread, noteUnread, recordQuery } from '../../api/record.ts'
import type { Entity, WorkflowStep } from '../../api/types.ts'
import { TypedRecipients } from '../values/recipients-note.tsx'
import {
  ActionForm,
  type ActionValues,
  actionName,
  openFormFields,
  printAction,
  useActionValues,
} from './action-form.tsx'

type DialogProps = {
  readonly entity: Entity
  readonly id: number
  /** What the record is called. */
  readonly name: string
  readonly action: OpenAction
  readonly etag: string | undefined
  readonly onClose: () => void
}

/** Whether the record was changed or removed, or the action is not open any more. */
const isStale = (error: Error): boolean => [404, 409, 412].includes(statusOf(error) ?? 0)

const useAction = (
  { entity, id, name, action, etag, onClose }: DialogProps,
  onSent: () => void,
) => {
  const onTaken = use(TakenActionsContext)
  const client = useQueryClient()
  // The version that was on the screen. After a refusal the record is shown as it is, so a second try means that version.
  const [shownEtag, setShownEtag] = useState<string | undefined>(etag)
  const reread = () => client.invalidateQueries({ queryKey: [userKey, 'record', entity.key, id] })
  return useMutation({
    mutationFn: (given: ActionValues) =>
      request<object>(`/${entity.key}/${id}/proceedToStep`, {
        method: 'POST',
        etag: shownEtag,
        body: printAction(action, given),
      }),
    onSuccess: async (record) => {
      onSent()
      noteUnread(client, { entity: entity.key, id }, record)
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
      // A queue shows its next record before the form closes, so that the decided one is not shown once more.
      await client.invalidateQueries({ queryKey: [userKey, 'approvals'] })
      const isRead = reread()
      // A form over a record that is out of sight would say that it was removed.
      if (!onTaken && !isUnread(record)) await isRead
      onTaken?.({ entity: entity.key, id, name, to: action.to })
      onClose()
    },
    onError: async (error) => {
      if (!isStale(error)) return
      await reread()
      setShownEtag(client.getQueryData(recordQuery(entity.key, id, undefined).queryKey)?.etag)
    },
  })
}

export const ActionDialog = (props: DialogProps): ReactNode => {
  const { entity, id, action, onClose } = props
  // As its page shows it; elsewhere the choices of links follow what is typed alone.
  const shown = useQueryClient().getQueryData(recordQuery(entity.key, id, undefined).queryKey)
  const typed = useActionValues(
    openFormFields(entity, action),
    `${entity.key}/${id} ${action.key}`,
    shown?.record,
  )
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

/** An action that was taken. */
export type TakenAction = {
  readonly entity: string
  readonly id: number
  /** What the record is called. */
  readonly name: string
  readonly to: WorkflowStep
}

/** Called after an action by pages that do not show the record afterwards; undefined where its own page shows the new step. */
export const TakenActionsContext = createContext<((taken: TakenAction) => void) | undefined>(
  undefined,
)
