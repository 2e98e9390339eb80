/** A session that has begun, as every way to sign in answers it. */
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { checkLine, textLimits } from '../../definitions/values/check-text.ts'
import { validationError } from '../../errors.ts'
import { component, json, objectOf, time, type ValueOf } from '../../http/openapi/operation.ts'

export const startedProperties = {
  user_id: { type: 'integer' },
  expires_at: { ...time, description: 'Then the browser has to sign in again.' },
  may_switch: {
    type: 'boolean',
    description: 'Whether it may become the session of another user; only during development.',
  },
} as const

export const started = component('StartedSession', objectOf(startedProperties))

const nextStep = component(
  'NextStep',
  objectOf({
    next: {
      enum: ['second-factor', 'set-up'],
      description:
        'A code of the app or a passkey; or a second factor that has to be set up before the session begins.',
    },
    has_app: { type: 'boolean' },
    has_passkeys: { type: 'boolean' },
  }),
)

export type NextStep = ValueOf<typeof nextStep>

/** The answers to a first factor. */
export const firstFactorAnswers = {
  200: json('The session.', started, ['Set-Cookie']),
  202: json('What the sign-in still needs, in this browser and within ten minutes.', nextStep, [
    'Set-Cookie',
  ]),
} as const

/** What all paths have by which people sign in without being signed in. */
export const guessed = {
  tag: 'Sessions',
  method: 'post',
  readers: (): 'guessers' => 'guessers',
  errors: [
    ...(['caller.unauthenticated', 'request.too-many', 'request.saturated'] as const),
    ...(['request.contended', 'request.too-slow'] as const),
    ...(['database.unavailable', 'database.changed'] as const),
  ],
} as const

export const invitationCode = Type.String({
  maxLength: 100,
  description: 'Of the link of the invitation.',
})

export const signInName = Type.String({
  minLength: 1,
  maxLength: 320,
  description: 'The e-mail or the user name; upper and lower case are the same.',
})

/** The name in the form in which names are kept. */
export const typedName = (given: string): string => {
  const result = checkLine(given, {}, textLimits.string.max)
  if ('value' in result) return String(result.value)
  throw validationError('request.invalid', [{ path: 'name', message: result.message }])
}
