/** The step of a record, by its name. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { stepTone } from './step-tone.ts'
import './step-badge.css'

type BadgeProps = { readonly entity: Entity; readonly step: unknown }

export const StepBadge = ({ entity: { workflow }, step }: BadgeProps): ReactNode => {
  const found = workflow?.steps.find(({ key }) => key === step)
  return (
    <span className="step-badge" data-tone={workflow && stepTone(workflow, step)} dir="auto">
      {found?.name ?? String(step ?? '')}
    </span>
  )
}
