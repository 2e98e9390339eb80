/** What is told of an action that was taken: by a page on which its record is not shown afterwards. */
import { createContext } from 'react'
import type { WorkflowStep } from '../../api/types.ts'

export type TakenAction = {
  readonly entity: string
  readonly id: number
  /** What the record is called. */
  readonly name: string
  readonly to: WorkflowStep
}

/** Undefined where the page of the record itself shows its new step. */
export const TakenActionsContext = createContext<((taken: TakenAction) => void) | undefined>(
  undefined,
)
