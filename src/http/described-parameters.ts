/** Parameters that operations of several features have in common. */
import type { Parameter } from './described-operation.ts'

const largestId = 2_147_483_647

/** `limit` of a list: 20 by default, at most 1,000. */
export const limit: Parameter = {
  name: 'limit',
  in: 'query',
  description: 'Records of one page.',
  schema: { type: 'integer', minimum: 1, maximum: 1000, default: 20 },
}

export const page: Parameter = {
  name: 'page',
  in: 'query',
  description: 'Number of the page, from 1.',
  schema: { type: 'integer', minimum: 1, maximum: 1_000_000_000, default: 1 },
}

export const entityId: Parameter = {
  name: 'entityId',
  in: 'path',
  required: true,
  description: 'Id of the record.',
  schema: { type: 'integer', minimum: 1, maximum: largestId },
}

export const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` that was read, such as `"3"`: when the record has changed since, nothing is written and the answer is 412. Without it the last write wins.',
  schema: { type: 'string' },
}

export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier answer; 304 without a body when it still holds.',
  schema: { type: 'string' },
}

export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A text of your choice, one per create: the same key and body within 24 hours gets the first answer again, the same key with another body is a 422.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
}
