/** Decides on the selected approvals together. */
import { type ReactNode, useState } from 'react'
import type { Approval, OpenAction } from '../../api/open-actions.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { BulkContent } from '../bulk/bulk-dialog.tsx'
import { RecordNames } from '../bulk/bulk-result.tsx'
import type { Run } from '../bulk/bulk-write.ts'
import { useBulk } from '../bulk/use-bulk.ts'
import { FormsContext, useOpenForm } from '../forms/open-form.tsx'
import { UnitSums } from '../grid/unit-sums.tsx'
import { useSession } from '../session/session.ts'
import { TypedRecipients } from '../values/recipients-note.tsx'
import {
  ActionForm,
  actionName,
  forSeveral,
  openFormFields,
  printAction,
  useActionValues,
} from '../workflow/action-form.tsx'
import { approvalKey, criteriaOf, type Queue } from './queue.ts'

/** An action, and the records that it is taken on. */
type Decision = { readonly action: OpenAction; readonly list: readonly Approval[] }

type DialogProps = {
  readonly entity: Entity
  readonly queue: Queue
  readonly decision: Decision
  readonly onClose: () => void
}

/** Records with the version that the queue shows: one that was changed since is not decided on. */
const targetsOf = (list: readonly Approval[]) =>
  list.map(({ id, version, display }) => ({ id, version, name: display, row: { id } }))

const useDecision = ({ entity, queue, decision, onClose }: DialogProps, onSent: () => void) => {
  // As they were when it began; the queue changes with every decision.
  const [{ action, list }] = useState(decision)
  const onWritten = async (run: Run, refreshed: Promise<unknown>) => {
    const { outcomes, counts, left, error } = run
    const decided = new Set(
      outcomes
        .filter(({ status }) => status !== 'refused')
        .map(({ id }) => approvalKey({ entity: entity.key, id })),
    )
    if (decided.size > 0) onSent()
    queue.select(queue.selected.map(approvalKey).filter((key) => !decided.has(key)))
    await refreshed
    if (counts.refused === 0 && left.length === 0 && !error) onClose()
  }
  const bulk = useBulk({
    entity,
    onWritten,
    isEachNamed: true,
    readTargets: async () => targetsOf(list),
  })
  return { action, list, bulk }
}

// The dialog registers itself as open.
const noForms = { onForm: () => undefined, isGone: false }

const DecideDialog = (props: DialogProps): ReactNode => {
  const { entity, decision, onClose } = props
  const texts = useWorkTexts().approvals
  useOpenForm()
  const typed = useActionValues(
    forSeveral(openFormFields(entity, decision.action)),
    `${entity.key} decide ${decision.action.key}`,
  )
  const { action, list, bulk } = useDecision(props, typed.kept.forget)
  const { phase } = bulk
  const name = actionName(action)
  const title = texts.decideOn(name, list.length)
  if (phase.kind !== 'form')
    return (
      <Dialog title={title} onClose={onClose}>
        <BulkContent
          bulk={bulk}
          entity={entity}
          onClose={onClose}
          operation={{ kind: 'action', action: { key: action.key, name } }}
        />
      </Dialog>
    )
  return (
    <FormsContext value={noForms}>
      <ActionForm
        action={action}
        typed={typed}
        title={title}
        onClose={onClose}
        about={<RecordNames names={list.map(({ display }) => display)} />}
        error={phase.error ?? null}
        isPending={false}
        onSubmit={(given) => bulk.check(printAction(action, given))}
      >
        <UnitSums entity={entity} criteria={criteriaOf(list)} />
        <TypedRecipients
          entity={entity}
          values={typed.values}
          intent={{
            operation: 'proceedToStep',
            action: action.key,
            entityIds: list.map(({ id }) => id),
          }}
        />
      </ActionForm>
    </FormsContext>
  )
}

/** The actions of records of one entity, each with the records that have it; none where they are of several. */
const decisionsOf = (list: readonly Approval[]): readonly Decision[] => {
  if (list.some(({ entity }) => entity !== list[0]?.entity)) return []
  const byKey = new Map(list.flatMap(({ actions }) => actions).map((one) => [one.key, one]))
  return [...byKey.values()].map((action) => ({
    action,
    list: list.filter(({ actions }) => actions.some(({ key }) => key === action.key)),
  }))
}

export const DecideBar = ({ queue }: { readonly queue: Queue }): ReactNode => {
  const texts = useWorkTexts().approvals
  const { entities } = useSession()
  const [chosen, setChosen] = useState<Decision>()
  const { selected } = queue
  const entity = entities.get(selected[0]?.entity ?? '')
  if (!entity) return null
  const decisions = decisionsOf(selected)
  const isOneKind = selected.every((one) => one.entity === entity.key)
  return (
    <div className="decide-bar">
      <span role="status">{texts.selected(selected.length)}</span>
      {isOneKind && <UnitSums entity={entity} criteria={criteriaOf(selected)} />}
      {decisions.length === 0 && <span className="decide-hint">{texts.several}</span>}
      {decisions.map((decision) => (
        <Button
          key={decision.action.key}
          look={decision.action.kind === 'approveWorkflow' ? 'primary' : 'plain'}
          onClick={() => setChosen(decision)}
        >
          <span dir="auto">{actionName(decision.action)}</span>{' '}
          {texts.fitting(decision.list.length, selected.length)}
        </Button>
      ))}
      <Button look="quiet" onClick={() => queue.select([])}>
        {texts.clear}
      </Button>
      {chosen && (
        <DecideDialog
          entity={entity}
          queue={queue}
          decision={chosen}
          onClose={() => setChosen(undefined)}
        />
      )}
    </div>
  )
}
