/** What is done with several records of the queue at once: those decisions that are open for any of them. */
import { type ReactNode, useState } from 'react'
import type { Approval } from '../../api/open-actions.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { UnitSums } from '../grid/unit-sums.tsx'
import { useSession } from '../session/session.ts'
import { actionName } from '../workflow/action-form.tsx'
import { criteriaOf } from './approval-key.ts'
import type { Decision } from './decide-dialog.tsx'
import { DecideDialog } from './decide-dialog.tsx'
import type { Queue } from './use-queue.ts'

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
  const [asked, setAsked] = useState<Decision>()
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
          onClick={() => setAsked(decision)}
        >
          <span dir="auto">{actionName(decision.action)}</span>{' '}
          {texts.fitting(decision.list.length, selected.length)}
        </Button>
      ))}
      <Button look="quiet" onClick={() => queue.select([])}>
        {texts.clear}
      </Button>
      {asked && (
        <DecideDialog
          entity={entity}
          queue={queue}
          decision={asked}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}
