/** Decides on several records at once, and says which of them stayed as they were, and why. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Outcome as RecordOutcome } from '../../api/bulk.ts'
import { userKey } from '../../api/queries.ts'
import { decideOnAll } from '../../api/records/approvals.ts'
import type { Approval, Entity, OpenAction } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useApprovalTexts } from '../../texts/approvals/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { RecipientsNote } from '../recipients/recipients-note.tsx'
import { UnitSums } from '../totals/unit-sums.tsx'
import { actionFields } from '../workflow/action-fields.ts'
import { ActionForm } from '../workflow/action-form.tsx'
import { actionName } from '../workflow/action-name.ts'
import { type ActionValues, printAction, useActionValues } from '../workflow/use-action-values.ts'
import { approvalKey, criteriaOf } from './approval-key.ts'
import type { Queue } from './use-queue.ts'

/** An action, and the records that it is taken on. */
export type Decision = { readonly action: OpenAction; readonly list: readonly Approval[] }

type DialogProps = {
  readonly entity: Entity
  readonly queue: Queue
  readonly decision: Decision
  readonly onClose: () => void
}

const useDecision = ({ entity, queue, decision, onClose }: DialogProps, onSent: () => void) => {
  const client = useQueryClient()
  // As they were when it began; the queue changes with every decision.
  const [{ action, list }] = useState(decision)
  const keyOf = ({ id }: RecordOutcome) => approvalKey({ entity: entity.key, id })
  const decide = useMutation({
    mutationFn: (given: ActionValues) => decideOnAll(entity.key, list, printAction(action, given)),
    onSuccess: async ({ data }) => {
      onSent()
      const refused = data.filter(({ status }) => status === 'refused')
      const decided = new Set(data.filter(({ status }) => status !== 'refused').map(keyOf))
      queue.select(queue.selected.map(approvalKey).filter((key) => !decided.has(key)))
      for (const { id } of data)
        void client.invalidateQueries({ queryKey: [userKey, 'record', entity.key, id] })
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
      await client.invalidateQueries({ queryKey: [userKey, 'approvals'] })
      if (refused.length === 0) onClose()
    },
  })
  return { list, decide }
}

export const DecideDialog = (props: DialogProps): ReactNode => {
  const { entity, decision, onClose } = props
  const { action } = decision
  const texts = useApprovalTexts()
  const typed = useActionValues(actionFields(entity, action), `${entity.key} decide ${action.key}`)
  const { list, decide } = useDecision(props, typed.kept.forget)
  if (decide.data) return <Outcome list={list} entries={decide.data.data} onClose={onClose} />
  return (
    <ActionForm
      {...{ action, typed, onClose }}
      title={texts.decideOn(actionName(action), list.length)}
      error={decide.error}
      isPending={decide.isPending}
      onSubmit={decide.mutate}
    >
      <UnitSums entity={entity} criteria={criteriaOf(list)} />
      <RecipientsNote
        entity={entity}
        intent={{
          operation: 'proceedToStep',
          action: action.key,
          entityIds: list.map(({ id }) => id),
        }}
      />
    </ActionForm>
  )
}

type OutcomeProps = {
  readonly list: readonly Approval[]
  readonly entries: readonly RecordOutcome[]
  readonly onClose: () => void
}

const Outcome = ({ list, entries, onClose }: OutcomeProps): ReactNode => {
  const texts = useApprovalTexts()
  const { common } = useTexts()
  const refused = entries.filter(({ status }) => status === 'refused')
  const nameOf = (id: number) => list.find((one) => one.id === id)?.display ?? String(id)
  return (
    <Dialog title={texts.decided(entries.length - refused.length)} onClose={onClose}>
      <p>{texts.refused}</p>
      <ul>
        {refused.map(({ id, detail }) => (
          <li key={id}>
            <strong dir="auto">{nameOf(id)}</strong> {detail}
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </Dialog>
  )
}
