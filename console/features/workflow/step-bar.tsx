/** Where a record is in its workflow, and the actions that are open to the user. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { OpenAction } from '../../api/open-actions.ts'
import { actionsQuery } from '../../api/queries.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'
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
  /** Whether they are being saved. */
  readonly isSaving: boolean
}

/** The keys of decisions. */
const decisionKeys = { approveWorkflow: 'a', rejectWorkflow: 'r' } as const

/**
 * The action that the user chose. An action is taken on the record as it is saved: if there are changes that are not saved,
 * the user is asked to save them first; while they are being saved, the action waits.
 */
const useChosenAction = ({ isUnsaved, isSaving }: Pick<BarProps, 'isUnsaved' | 'isSaving'>) => {
  const [chosen, setChosen] = useState<OpenAction>()
  const [waiting, setWaiting] = useState<OpenAction>()
  const [isHeld, setIsHeld] = useState(false)
  const choose = (action: OpenAction) => {
    if (isSaving) setWaiting(action)
    else if (isUnsaved) setIsHeld(true)
    else setChosen(action)
  }
  if (waiting && !isSaving) {
    setWaiting(undefined)
    choose(waiting)
  }
  // With nothing left to save, there is nothing to ask for.
  if (isHeld && !isUnsaved) setIsHeld(false)
  return { chosen, choose, close: () => setChosen(undefined), isHeld }
}

export const StepBar = (props: BarProps): ReactNode => {
  const { entity, id, name, step, etag } = props
  const texts = useRecordPageTexts()
  const actions = useQuery(actionsQuery(entity.key, id))
  const { chosen, choose, close, isHeld } = useChosenAction(props)
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
      {isHeld && (
        <p role="alert" className="action-held">
          {texts.saveFirst}
        </p>
      )}
      <UnmetActions entity={entity} actions={actions.data?.unmet ?? []} />
      {chosen && (
        <ActionDialog
          entity={entity}
          id={id}
          name={name}
          etag={etag}
          action={chosen}
          onClose={close}
        />
      )}
    </div>
  )
}
