/** What follows a change of a record: its messages, written in the transaction of the change itself. */
import type { Queryable } from '../database/pool.ts'
import type { Entity } from '../definitions/catalog.ts'
import type { Operation } from './history.ts'

/** The action of a workflow that was taken, as notifications refer to it. */
export type TakenAction = {
  readonly key: string
  readonly kind: 'proceedToStep' | 'approveWorkflow' | 'rejectWorkflow'
  readonly form: string | undefined
  /** Keys of the steps that the record left and reached. */
  readonly from: string
  readonly to: string
}

/** A change that has just been written. */
export type Change = {
  readonly entity: Entity
  readonly id: number
  readonly userId: number
  readonly operation: Operation
  readonly action?: TakenAction
  readonly comment?: string | undefined
}

/** Writes the messages of a change; the transaction that holds it must be open. */
export const tellChange = async (_connection: Queryable, _change: Change): Promise<void> => {}
