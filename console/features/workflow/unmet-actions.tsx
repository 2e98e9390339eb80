/** Why an action that the user may take is not open: its condition does not hold for the record and the user. */
import type { ReactNode } from 'react'
import type { UnmetAction } from '../../api/open-actions.ts'
import type { Entity } from '../../api/types.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { actionName } from './action-name.ts'
import { useComparedLabels } from './compared-labels.ts'
import './unmet.css'

type ActionsProps = { readonly entity: Entity; readonly actions: readonly UnmetAction[] }

export const UnmetActions = ({ entity, actions }: ActionsProps): ReactNode => {
  const texts = useRecordPageTexts()
  const labelsOf = useComparedLabels(entity)
  return actions.map((action) => (
    <p key={action.key} className="unmet" dir="auto">
      {action.message === null
        ? texts.unmet(actionName(action), labelsOf(action))
        : `${texts.unmet(actionName(action), '')} ${action.message}`}
    </p>
  ))
}
