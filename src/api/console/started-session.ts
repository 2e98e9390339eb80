/** A session that has begun, as every way to sign in answers it. */
import { component, objectOf } from '../../http/openapi/operation.ts'

export const time = { type: 'string', format: 'date-time' } as const

export const startedProperties = {
  user_id: { type: 'integer' },
  expires_at: { ...time, description: 'Then the browser has to sign in again.' },
  may_switch: {
    type: 'boolean',
    description: 'Whether it may become the session of another user; only during development.',
  },
} as const

export const started = component('StartedSession', objectOf(startedProperties))
