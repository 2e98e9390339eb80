/** Headers that operations of several features accept. */
import { readIdempotencyKey } from '../idempotency.ts'
import { type Precondition, readIfMatch } from '../preconditions.ts'
import type { Parameter } from './parameters.ts'

/** The record versions that a write accepts. */
export const ifMatch: Parameter<Precondition, Precondition> = {
  description:
    'The `ETag` that was read, such as `"3"`: when the record has changed since, nothing is written and the answer is 412. Without it the last write wins.',
  schema: { type: 'string' },
  absent: 'any',
  errors: ['record.stale'],
  read: readIfMatch,
}

/** The response that the caller has already. */
export const ifNoneMatch: Parameter<string> = {
  description: 'The `ETag` of an earlier answer; 304 without a body when it is still current.',
  schema: { type: 'string' },
  absent: undefined,
  read: (text) => text,
}

/** Makes it safe to send a create again. */
export const idempotencyKey: Parameter<string> = {
  description:
    'A text of your choice, one per create or bulk write: the same key and body within 24 hours gets the first answer again, the same key with another body is a 422.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  absent: undefined,
  errors: ['idempotency.key-reused'],
  read: readIdempotencyKey,
}

/** The languages of the caller, best first. */
export const acceptLanguage: Parameter<string> = {
  description: "Language of `content.due_date`; else the project's `locale`, else English.",
  schema: { type: 'string', examples: ['de-AT, de;q=0.9'] },
  absent: undefined,
  read: (text) => text,
}
