/** The message that a change would write if it were made now. */
import type { TakenAction } from '../../definitions/notification-matching.ts'
import type { ChangeMessage } from '../../records/write/change-events.ts'

type Imagined = Pick<ChangeMessage, 'entity_key' | 'entity_id' | 'operation' | 'actor_id'> & {
  /** The action of the workflow, with the steps that it leaves and reaches. */
  readonly action: TakenAction | null
}

export const imagineChange = (change: Imagined): ChangeMessage => ({
  ...change,
  event: '',
  comment: null,
  at: new Date().toISOString(),
})
