/** What is done with several records of the queue at once: those decisions that are open for all of them. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Approval, OpenAction } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useApprovalTexts } from '../../texts/approvals/texts.ts'
import { useSession } from '../session/session.ts'
import { UnitSums } from '../totals/unit-sums.tsx'
import { actionName } from '../workflow/action-name.ts'
import { criteriaOf } from './approval-key.ts'
import type { Queue } from './use-queue.ts'

const DecideDialog = lazy(async () => ({
  default: (await import('./decide-dialog.tsx')).DecideDialog,
}))

/** The actions of the first that all others have too; none where they are of several entities. */
const sharedActions = ([first, ...others]: readonly Approval[]): readonly OpenAction[] =>
  (first?.actions ?? []).filter(({ key }) =>
    others.every(
      (one) => one.entity === first?.entity && one.actions.some((action) => action.key === key),
    ),
  )

export const DecideBar = ({ queue }: { readonly queue: Queue }): ReactNode => {
  const texts = useApprovalTexts()
  const { entities } = useSession()
  const [asked, setAsked] = useState<OpenAction>()
  const { selected } = queue
  const entity = entities.get(selected[0]?.entity ?? '')
  if (!entity) return null
  const actions = sharedActions(selected)
  const isOneKind = selected.every((one) => one.entity === entity.key)
  return (
    <div className="decide-bar">
      <span role="status">{texts.selected(selected.length)}</span>
      {isOneKind && <UnitSums entity={entity} criteria={criteriaOf(selected)} />}
      {actions.length === 0 && <span className="decide-hint">{texts.several}</span>}
      {actions.map((action) => (
        <Button
          key={action.key}
          look={action.kind === 'approveWorkflow' ? 'primary' : 'plain'}
          onClick={() => setAsked(action)}
        >
          <span dir="auto">{actionName(action)}</span> {selected.length}
        </Button>
      ))}
      <Button look="quiet" onClick={() => queue.select([])}>
        {texts.clear}
      </Button>
      {asked && (
        <Suspense>
          <DecideDialog {...{ entity, queue }} action={asked} onClose={() => setAsked(undefined)} />
        </Suspense>
      )}
    </div>
  )
}
