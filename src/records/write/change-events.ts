/** The events of a change: jobs for the hooks of an entity, enqueued in the statement of the change. */
import { int, isoTime, isSql, json, nothing, type Sql, sql, text } from '../../database/sql.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import type { Schedule } from '../../definitions/date-rules.ts'
import {
  matchRules,
  notificationHook,
  type TakenAction,
} from '../../definitions/notification-rules.ts'
import type { NotifiedOperation, RecordOperation } from '../../definitions/operations.ts'
import { enqueue, jobKind, jobsIn, type Traced } from '../../jobs/job.ts'
import type { Changes } from '../history.ts'

/** A change that is being written. Only the statement may know its id. */
export type Change = {
  readonly entity: Entity
  /** Null: the service itself. */
  readonly userId: number | null
  readonly operation: RecordOperation
  readonly action?: TakenAction | undefined
  readonly comment?: string | undefined
  /** What differs, field by field; SQL of type json where only the statement knows it. */
  readonly changes: Changes | Sql
  /** The columns that may differ, where the statement knows them all: a rule about others needs no job. */
  readonly written?: readonly Column[] | undefined
  /** The id of its entry of the history. */
  readonly entry: Sql
}

/** A comment that users are notified of. */
type Said = {
  /** Of one that is not written yet, what it would be. */
  readonly comment_id: number | null
  readonly text?: string
  readonly is_internal?: boolean
  /** Users whom it mentions, and did not mention before. */
  readonly mentioned: readonly number[]
  /** Users whom an earlier rule has notified of it, while the job runs. */
  readonly told?: readonly number[]
}

/** The payload that a hook receives; in snake_case, since PostgreSQL writes it. */
export type ChangeMessage = Traced & {
  /** Identifies the change: it is handled once, however often the job runs. */
  readonly event: string
  readonly entity_key: string
  readonly entity_id: number
  readonly operation: RecordOperation | NotifiedOperation
  readonly action: TakenAction | null
  readonly comment: string | null
  /** Of a comment on the record; what it says is read when the job runs. */
  readonly said?: Said
  /** Null of a date that is due: nobody acts. */
  readonly actor_id: number | null
  /** When it happened, ISO 8601. */
  readonly at: string
  /** Its entry of the history; a date that is due has none. */
  readonly history_id?: number
  /** What differs, of an event that a rule of `change` may apply to. */
  readonly changes?: Changes
  /** The date that is due, of an event of one, as the record had it. */
  readonly due?: Schedule & { readonly value: string }
}

export const sendNotifications = jobKind<ChangeMessage>('notification.send')

/** The payload that a message handler of the project receives. */
type HandlerMessage = Omit<ChangeMessage, 'operation' | 'due' | 'history_id'> & {
  readonly handler: string
  readonly operation: RecordOperation
  /** Null: the service itself, which removes and anonymises what is kept no longer; no notification is about that. */
  readonly actor_id: number | null
  /** Absent in jobs that an earlier version enqueued. */
  readonly changes?: Changes
}

export const handleMessage = jobKind<HandlerMessage>('message.handle')

/**
 * Builds expressions that enqueue the events of a change, one for each function that the hooks name, for the
 * select list of the statement that writes it. `id` is the SQL of the record's id; where it is null, nothing
 * was changed and nothing is enqueued. `inRow` makes of each what a row of the result has of it.
 */
export const changeEvents = (
  change: Change,
  id: Sql,
  inRow = (event: Sql): Sql => event,
): readonly Sql[] => {
  const names = (change.entity.definition.hooks ?? []).map(({ functionName }) => functionName)
  return (
    [...new Set(names)]
      .flatMap((functionName) => eventOf(change, id, functionName))
      // Named, so that they hide no column of the statement.
      .map((event, index) =>
        jobsIn(inRow(sql`CASE WHEN ${id} IS NOT NULL THEN ${event} END`), `event${index}`),
      )
  )
}

const eventOf = (change: Change, id: Sql, functionName: string): readonly Sql[] => {
  const { entity, operation, action, changes, userId } = change
  const differing = () => sql`, 'changes', ${isSql(changes) ? changes : json(changes)}`
  if (functionName !== notificationHook) {
    const more = sql`, 'handler', ${text(functionName)}${differing()}`
    return [enqueue({ kind: handleMessage, payload: eventJson(change, id, more) })]
  }
  const changed = change.written?.map(({ field }) => field.key)
  const rules = matchRules(entity.definition, operation, action, { changed })
  if (rules.length === 0 || userId === null) return []
  // The job matches all rules again, with their fields and conditions: rules of changes need what changed, also where none matches here.
  const mayApply = matchRules(entity.definition, operation, action)
  const more = mayApply.some(({ rule }) => rule.operation === 'change') ? differing() : nothing
  const payload = eventJson(change, id, sql`, 'history_id', ${change.entry}${more}`)
  return [enqueue({ kind: sendNotifications, payload })]
}

const eventJson = (change: Change, id: Sql, more: Sql): Sql => {
  const { entity, operation, action, comment, userId } = change
  return sql`json_build_object(
    'event', gen_random_uuid(),
    'entity_key', ${text(entity.key)},
    'entity_id', ${id},
    'operation', ${text(operation)},
    'action', ${json(action)},
    'comment', ${text(comment ?? null)},
    'actor_id', ${int(userId)},
    'at', ${isoTime('now()')}${more}
  )`
}
