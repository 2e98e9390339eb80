/** How a step looks, by what its definition says of it; its name says it in words. */
import type { Entity, WorkflowAction } from '../../api/types.ts'

/** Undefined: records of this step are on their way. */
export type StepTone = 'waiting' | 'approved' | 'rejected' | 'closed' | undefined

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
