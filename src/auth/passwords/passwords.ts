/** Sign-in without an identity provider: a password, which an invitation sets (docs/console-sign-in.md). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuditedSignInWay } from '../../audit/audit-kinds.ts'
import { originOf, orRefused, recordAudit } from '../../audit/record-audit.ts'
import type { Config } from '../../config/load-config.ts'
import type { Pool } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import { apiError, validationError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { digestOf } from '../callers/api-keys.ts'
import type { CallerCache } from '../callers/caller-cache.ts'
import { findCode, type Invited, takeCode } from '../codes/one-time-code-store.ts'
import { assertProven, currentOwn } from '../credentials/own-session.ts'
import { findApp, lockSignIns, removeFactors } from '../second-factor/second-factor-store.ts'
import type { NextStep, SecondStep } from '../second-factor/second-step.ts'
import type { Sessions, StartedSession } from '../sessions/sessions.ts'
import type { SignInWays } from '../sign-in-ways.ts'
import { invalidToken } from '../unauthorized.ts'
import { assertOpen, createKnownBrowsers, type KnownBrowsers } from './known-browsers.ts'
import { assertGood, hashPassword, isPassword } from './password-rules.ts'
import {
  deletePassword,
  endSessionsOf,
  findPassword,
  findPasswordOf,
  forgetFailures,
  lockPassword,
  replacePassword,
  storeFirstPassword,
  storePassword,
} from './password-store.ts'

type Acceptance = { readonly code: string; readonly password?: string }

type Call = { readonly request: FastifyRequest; readonly reply: FastifyReply }
type InvitedPerson = { readonly full_name: string; readonly email: string }

export type Passwords = {
  /** Signs in with an e-mail or user name. An error 401 is the same whatever was wrong; 429 after too many guesses. */
  readonly signIn: (
    given: { readonly name: string; readonly password: string },
    call: Call,
  ) => Promise<StartedSession | NextStep>
  /** Whom an invitation is for; throws an error 401 if it is not open. */
  readonly lookAt: (code: string, call: Call) => Promise<InvitedPerson>
  /**
   * Uses up the invitation, sets the password of the invited user where people have passwords, takes their passkeys and second factor
   * away, ends their other sessions, and signs in.
   */
  readonly accept: (given: Acceptance, call: Call) => Promise<StartedSession | NextStep>
  /** Changes the password of the user of a session, and ends their other sessions. */
  readonly change: (given: NewPassword, call: Call) => Promise<void>
}

type NewPassword = {
  /** The former one; a user who has none has proven otherwise who they are. */
  readonly password?: string
  readonly new_password: string
}

type Options = {
  readonly config: Config
  readonly ways: SignInWays
  readonly pool: Pool
  readonly callers: CallerCache
  readonly sessions: Sessions
  readonly secondStep: SecondStep
  readonly observe: Observe
  readonly serviceName: string
}

type Deps = Options & { readonly browsers: KnownBrowsers }

/** Creates the passwords of one service. */
export const createPasswords = (options: Options): Passwords => {
  const { config, ways, pool, sessions } = options
  const deps = { ...options, browsers: createKnownBrowsers(pool, config) }
  // A page of another service must not sign a browser in as another user.
  const checked =
    <G, T>(refusal: string | undefined, answer: (deps: Deps, given: G, call: Call) => Promise<T>) =>
    async (given: G, call: Call): Promise<T> => {
      sessions.assertOwnPage(call.request)
      if (refusal !== undefined) throw invalidToken(refusal)
      return answer(deps, given, call)
    }
  const reason = ways.whyNot('password')
  const noPasswords = reason && `Nobody signs in by a password here. ${reason}`
  const noInvitations = ways.whyNoInvitations && `Nobody is invited here. ${ways.whyNoInvitations}`
  return {
    signIn: checked(noPasswords, signIn),
    // The invited person may set a passkey instead, or sign in at the issuer.
    lookAt: checked(noInvitations, async (_deps, code: string, call) => {
      const { fullName, email } = await invitedBy(pool, code, call)
      return { full_name: fullName, email }
    }),
    accept: checked(noInvitations, accept),
    change: checked(noPasswords, change),
  }
}

export const wrongInvitation =
  'The invitation is wrong, was used or revoked, or is older than 72 hours.'
const wrongPassword = 'The name or the password is wrong.'

const notYours = () =>
  validationError('request.invalid', [{ path: 'password', message: 'is not your password' }])

const signIn = async (
  deps: Deps,
  { name, password }: { readonly name: string; readonly password: string },
  call: Call,
): Promise<StartedSession | NextStep> => {
  const { pool, browsers } = deps
  const found = await findPassword(pool, name)
  // One whom no password signs in counts as an unknown name does.
  const known = found?.hash === undefined ? undefined : found
  const target = await browsers.targetOf(call.request, { name, userId: known?.userId })
  const attempt = { way: 'password', userId: found?.userId, request: call.request } as const
  const right = await orRefused(pool, attempt, async () => {
    await assertOpen(pool, target)
    // Without a password it takes as long.
    if (!(await isPassword(password, known?.hash)) || !known) throw invalidToken(wrongPassword)
    return known
  })
  await forgetFailures(pool, target)
  return start(deps, { ...right, way: 'password' }, call)
}

type FirstFactor = {
  readonly userId: number
  /** Of the password that was right or is set; undefined: there is none. */
  readonly hash: string | undefined
  readonly way: AuditedSignInWay
}

/** Signs in a user whose password, or invitation, was right. */
const start = (
  { secondStep }: Deps,
  { userId, hash, way }: FirstFactor,
  call: Call,
): Promise<StartedSession | NextStep> =>
  secondStep.after(
    {
      userId,
      way,
      // It may have been replaced since it was checked.
      beforeStart: async (connection) => {
        if (hash !== undefined && !(await lockPassword(connection, { userId, hash })))
          throw invalidToken(wrongPassword)
      },
    },
    call,
  )

/** Whom an open invitation is for; throws an error 401 without one. */
export const invitedBy = (pool: Pool, code: string, { request }: Call): Promise<Invited> =>
  orRefused(pool, { way: 'invitation', request }, async () => {
    const found = await findCode(pool, { kind: 'invitation', digest: digestOf(code) })
    if (!found) throw invalidToken(wrongInvitation)
    return found
  })

const selfOf = (userId: number) => ({ userId, actingUserId: null })

const accept = async (
  deps: Deps,
  { code, password }: Acceptance,
  call: Call,
): Promise<StartedSession | NextStep> => {
  const { pool, callers, observe } = deps
  const hash = await hashForInvited(deps, await invitedBy(pool, code, call), password)
  const userId = await transaction(pool, async (connection) => {
    // Of two at once, the second finds none.
    const taken = await takeCode(connection, { kind: 'invitation', digest: digestOf(code) })
    if (taken === undefined) throw invalidToken(wrongInvitation)
    // In this order: see lockPassword.
    if (hash === undefined) await deletePassword(connection, taken)
    else await storePassword(connection, taken, hash)
    await removeFactors(connection, taken)
    const about = { by: selfOf(taken), aboutUserId: taken, origin: originOf(call.request) }
    await recordAudit(connection, { ...about, kind: 'acceptInvitation' })
    if (hash !== undefined)
      await recordAudit(connection, { ...about, kind: 'setPassword', detail: { by: 'invitation' } })
    await endSessionsOf(connection, { userId: taken })
    return taken
  })
  callers.forget(userId)
  if (hash !== undefined) observe({ kind: 'passwordSet', userId, by: 'invitation' })
  return start(deps, { userId, hash, way: 'invitation' }, call)
}

/** The hash of the first password; undefined where people sign in by other ways alone. */
const hashForInvited = async (
  { ways, serviceName }: Deps,
  invited: Invited,
  password: string | undefined,
): Promise<string | undefined> => {
  const { offered } = ways
  // Nobody comes in by an invitation alone: the next sign-in needs a way too.
  const isWayIn = offered.includes('password') || offered.includes('code')
  const issue = isWayIn
    ? undefined
    : `cannot be set: ${offered.includes('passkey') ? 'create a passkey' : 'sign in at the identity provider'}`
  const missing = offered.includes('password') && password === undefined ? 'is required' : undefined
  const extra =
    !offered.includes('password') && password !== undefined ? 'is not used here' : undefined
  const message = issue ?? missing ?? extra
  if (message !== undefined)
    throw validationError('request.invalid', [{ path: 'password', message }])
  if (password === undefined) return undefined
  assertGood(password, { ...invited, serviceName })
  return hashPassword(password)
}

const change = async (deps: Deps, given: NewPassword, { request, reply }: Call): Promise<void> => {
  const { pool, sessions, browsers, callers, observe, serviceName } = deps
  const { caller, session } = await currentOwn(sessions, request)
  const { userId, fullName, email } = caller
  const hash = await findPasswordOf(pool, userId)
  if (hash === undefined && given.password !== undefined) throw hasNone()
  // With an app the former password is no proof: who has learned it must not replace it.
  if (hash === undefined || (await findApp(pool, userId))) await assertProven(pool, session.id)
  if (hash !== undefined)
    await assertPassword(deps, { name: email, userId, hash, password: given.password }, request)
  assertGood(given.new_password, { fullName, email, serviceName }, 'new_password')
  const next = await hashPassword(given.new_password)
  await transaction(pool, async (connection) => {
    // A user who leaves meanwhile has lost the session, and gets no other way in.
    await lockSignIns(connection, userId)
    if (hash === undefined) await assertProven(connection, session.id)
    const isSet =
      hash === undefined
        ? await storeFirstPassword(connection, userId, next)
        : await replacePassword(connection, { userId, hash }, next)
    // An invitation may have replaced it meanwhile.
    if (!isSet) throw notYours()
    await endSessionsOf(connection, { userId, except: session.id })
    await recordAudit(connection, {
      kind: 'setPassword',
      by: selfOf(userId),
      aboutUserId: userId,
      sessionId: session.id,
      origin: originOf(request),
      detail: { by: 'change' },
    })
  })
  callers.forget(userId)
  await browsers.remember(userId, request, reply)
  observe({ kind: 'passwordSet', userId, by: 'change' })
}

const hasNone = () =>
  apiError(
    'caller.forbidden',
    'You have no password. Set your first one without a former one, or by the link of an invitation.',
  )

type Given = {
  readonly name: string
  readonly userId: number
  readonly hash: string
  readonly password: string | undefined
}

/** Throws unless a password is that of a user; an attempt counts as a guess. */
export const assertPassword = async (
  { pool, browsers }: Pick<Deps, 'pool' | 'browsers'>,
  { name, userId, hash, password = '' }: Given,
  request: FastifyRequest,
): Promise<void> => {
  const target = await browsers.targetOf(request, { name, userId })
  await assertOpen(pool, target)
  if (!(await isPassword(password, hash))) throw notYours()
  await forgetFailures(pool, target)
}
