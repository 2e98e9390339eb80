/** The 401 responses, with the challenge that RFC 6750 requires. */
import { ApiError, apiError } from '../errors.ts'

/** There were no credentials to check; RFC 6750 3.1 requires no error code then. */
export const noCredentials = (detail: string) =>
  apiError('caller.unauthenticated', detail, { headers: { 'WWW-Authenticate': 'Bearer' } })

/** A token or API key was sent and is not accepted. The detail never repeats it, nor does a cause. */
export const invalidToken = (detail: string) =>
  apiError('caller.unauthenticated', detail, {
    headers: { 'WWW-Authenticate': invalidTokenChallenge },
  })

const invalidTokenChallenge = 'Bearer error="invalid_token"'

/** Whether a credential was sent and is wrong; false if none was sent, or one that does not count. */
export const isWrongCredential = (error: unknown): boolean =>
  isUnauthorized(error) &&
  error instanceof ApiError &&
  error.headers['WWW-Authenticate'] === invalidTokenChallenge

/** Whether a credential was rejected because it is invalid, rather than not checked for now. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'caller.unauthenticated'

/** How many may wait to be signed in, and the error 503 for those who come then. */
export const waitingSignIns = {
  most: 30,
  refusal: () =>
    apiError('request.saturated', 'Too many people sign in at this moment.', {
      headers: { 'Retry-After': '2' },
    }),
} as const
