/** The step of a record: its name, and a colour for what its definition says of it. */
import type { ReactNode } from 'react'
import type { Entity, WorkflowAction } from '../../api/types.ts'
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

/** Undefined for steps on the way. */
type StepTone = 'waiting' | 'approved' | 'rejected' | 'closed' | undefined

type Workflow = NonNullable<Entity['workflow']>

const decisions: ReadonlySet<WorkflowAction['kind']> = new Set([
  'approveWorkflow',
  'rejectWorkflow',
])

export const stepTone = ({ steps, initialStep }: Workflow, key: unknown): StepTone => {
  const step = steps.find((one) => one.key === key)
  const isReachedBy = (kind: WorkflowAction['kind']) =>
    steps.some(({ actions = [] }) => actions.some((one) => one.to === key && one.kind === kind))
  if (!step || step.key === initialStep) return undefined
  if (step.actions?.some(({ kind }) => decisions.has(kind))) return 'waiting'
  if (isReachedBy('rejectWorkflow')) return 'rejected'
  if (isReachedBy('approveWorkflow')) return 'approved'
  return step.final ? 'closed' : undefined
}
