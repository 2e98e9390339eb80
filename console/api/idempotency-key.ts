/** A key that makes it safe to send a create again: the same for every attempt, another one after a refusal. */
import { ApiProblem } from './client.ts'

// randomUUID would need HTTPS.
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

/** Whether the service refused what was sent, which will be sent changed. */
export const isRefusal = (error: Error): boolean =>
  error instanceof ApiProblem && error.status > 0 && error.status < 500
