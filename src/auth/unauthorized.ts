/** The answers 401, with the challenge that RFC 6750 asks for. */
import { ApiError, apiError } from '../errors.ts'

/** No credentials came that could be looked at; RFC 6750 3.1 wants no error code then. */
export const noCredentials = (detail: string) =>
  apiError('caller.unauthenticated', detail, { headers: { 'WWW-Authenticate': 'Bearer' } })

/** A token or API key came and is not taken. The detail never repeats it, nor does a cause. */
export const invalidToken = (detail: string) =>
  apiError('caller.unauthenticated', detail, {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })

/** Whether a credential was refused for what it is, rather than not looked at for now. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'caller.unauthenticated'
