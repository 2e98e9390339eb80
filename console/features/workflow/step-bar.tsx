/** Where a record is in its workflow, and the actions that are open to the user. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { actionsQuery } from '../../api/queries.ts'
import type { Entity, OpenAction } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useShortcuts } from '../keys/shortcuts.ts'
import { ActionDialog } from './action-dialog.tsx'
import { actionName } from './action-name.ts'
import './step-bar.css'

type BarProps = {
  readonly entity: Entity
  readonly id: number
  /** What the record is called. */
  readonly name: string
  readonly step: unknown
  /** Of the version on the screen. */
  readonly etag: string | undefined
}

/** The keys of decisions. */
const decisionKeys = { approveWorkflow: 'a', rejectWorkflow: 'r' } as const

export const StepBar = ({ entity, id, name, step, etag }: BarProps): ReactNode => {
  const actions = useQuery(actionsQuery(entity.key, id))
  const [chosen, choose] = useState<OpenAction>()
  useShortcuts(
    Object.entries(decisionKeys).flatMap(([kind, keys]) => {
      const action = actions.data?.data.find((one) => one.kind === kind)
      return action ? [{ keys, label: actionName(action), run: () => choose(action) }] : []
    }),
  )
  return (
    <div className="step-bar">
      <ol>
        {entity.workflow?.steps.map(({ key, name }) => (
          <li key={key} aria-current={key === step ? 'step' : undefined} dir="auto">
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
      {chosen && (
        <ActionDialog
          {...{ entity, id, name, etag }}
          action={chosen}
          onClose={() => choose(undefined)}
        />
      )}
    </div>
  )
}
