/** Where a record is in its workflow, and the actions that are open to the user. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { OpenAction } from '../../api/open-actions.ts'
import { actionsQuery } from '../../api/queries.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useShortcuts } from '../keys/shortcuts.ts'
import { ActionDialog } from './action-dialog.tsx'
import { actionName } from './action-name.ts'
import { stepTone } from './step-tone.ts'
import { UnmetActions } from './unmet-actions.tsx'
import './step-bar.css'

type BarProps = {
  readonly entity: Entity
  readonly id: number
  /** What the record is called. */
  readonly name: string
  readonly step: unknown
  /** Of the version on the screen. */
  readonly etag: string | undefined
  /** Whether fields of the record were changed and not saved. */
  readonly isUnsaved: boolean
}

/** The keys of decisions. */
const decisionKeys = { approveWorkflow: 'a', rejectWorkflow: 'r' } as const

export const StepBar = ({ entity, id, name, step, etag, isUnsaved }: BarProps): ReactNode => {
  const texts = useRecordPageTexts()
  const actions = useQuery(actionsQuery(entity.key, id))
  const [chosen, setChosen] = useState<OpenAction>()
  const [isHeld, setIsHeld] = useState(false)
  // An action is taken on the record as it is saved, which is not what the user sees then.
  const choose = (action: OpenAction) => (isUnsaved ? setIsHeld(true) : setChosen(action))
  useShortcuts(
    Object.entries(decisionKeys).flatMap(([kind, keys]) => {
      const action = actions.data?.data.find((one) => one.kind === kind)
      return action ? [{ keys, label: actionName(action), run: () => choose(action) }] : []
    }),
  )
  const { workflow } = entity
  return (
    <div className="step-bar">
      <ol>
        {workflow?.steps.map(({ key, name }) => (
          <li
            key={key}
            aria-current={key === step ? 'step' : undefined}
            data-tone={stepTone(workflow, key)}
            dir="auto"
          >
            {name ?? key}
          </li>
        ))}
      </ol>
      <div className="step-actions">
        {actions.data?.data.map((action) => (
          <Button
            key={action.key}
            look={action.kind === 'approveWorkflow' ? 'primary' : 'plain'}
            onClick={() => choose(action)}
          >
            <span dir="auto">{actionName(action)}</span>
          </Button>
        ))}
      </div>
      {isHeld && isUnsaved && (
        <p role="alert" className="action-held">
          {texts.saveFirst}
        </p>
      )}
      <UnmetActions entity={entity} actions={actions.data?.unmet ?? []} />
      {chosen && (
        <ActionDialog
          {...{ entity, id, name, etag }}
          action={chosen}
          onClose={() => setChosen(undefined)}
        />
      )}
    </div>
  )
}
