/** The job that notifies users of a comment, in the statement that writes it. */
import { int, isoTime, json, type Sql, sql, text } from '../database/sql.ts'
import { matchRules, sendsNotifications } from '../definitions/notification-rules.ts'
import { enqueue, jobsIn } from '../jobs/job.ts'
import { sendNotifications } from '../records/write/change-events.ts'
import type { CommentContext } from './comment-deps.ts'

type Told = {
  /** The record. */
  readonly id: number
  readonly commentId: Sql
  /** The entry of the history that says it. */
  readonly entry: Sql
  /** Users whom the text mentions, and did not mention before. */
  readonly mentioned: readonly number[]
  readonly operation: 'comment' | 'mention'
}

/** Columns that enqueue the job; none if no rule would notify anybody. */
export const tellOfComment = (
  { entity, caller }: CommentContext,
  { id, commentId, entry, mentioned, operation }: Told,
): readonly Sql[] => {
  const { definition } = entity
  const isTold = (name: string) => matchRules(definition, name, undefined).length > 0
  const isNeeded =
    (operation === 'comment' && isTold('comment')) || (mentioned.length > 0 && isTold('mention'))
  if (!sendsNotifications(definition) || !isNeeded) return []
  const payload = sql`json_build_object(
    'event', gen_random_uuid(),
    'entity_key', ${text(entity.key)},
    'entity_id', ${int(id)},
    'operation', ${text(operation)},
    'action', NULL,
    'comment', NULL,
    'actor_id', ${int(caller.userId)},
    'at', ${isoTime('now()')},
    'history_id', ${entry},
    'said', json_build_object('comment_id', ${commentId}, 'mentioned', ${json(mentioned)})
  )`
  return [jobsIn(enqueue({ kind: sendNotifications, payload }), 'told')]
}
