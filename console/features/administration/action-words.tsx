/** An action of a step in words: where it leads, its form, and its condition. */
import type { ReactNode } from 'react'
import type { Entity, WorkflowAction } from '../../api/types.ts'
import { useAdminTexts } from '../../texts/texts.ts'
import { useConditionWords } from './condition-words.ts'
import { actionLabel, targetsOf } from './workflow-links.ts'

type WordsProps = {
  readonly entity: Entity
  readonly action: WorkflowAction
  /** Key of its step. */
  readonly from: string
}

export const ActionWords = ({ entity, action, from }: WordsProps): ReactNode => {
  const { definitions: texts } = useAdminTexts()
  const steps = entity.workflow?.steps ?? []
  const nameOf = (key: string) => steps.find((step) => step.key === key)?.name ?? key
  const targets = targetsOf(action, from, steps).map(nameOf).join(' / ')
  const form = action.form === undefined ? '' : texts.withForm(action.form)
  const condition = useConditionWords(entity, action.condition)
  return (
    <li dir="auto">
      {`${actionLabel(action)} → ${targets} ${form}`.trim()}
      {condition !== undefined && <small className="admin-note"> {texts.onlyIf(condition)}</small>}
    </li>
  )
}
