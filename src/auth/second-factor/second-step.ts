/**
 * The second step of a sign-in: after a password, or a code that was sent by e-mail, the code of an app. Between the two steps there is
 * no session: a cookie stands for the user whose first factor was right, and can do nothing but end the sign-in.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuditedSignInWay } from '../../audit/audit-kinds.ts'
import { orRefused } from '../../audit/record-audit.ts'
import type { Config } from '../../config/load-config.ts'
import type { Pool, Queryable } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import { apiError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { findUserById } from '../../users/user-store.ts'
import { roleKeysOf } from '../caller.ts'
import { digestOf } from '../callers/api-keys.ts'
import { assertOpen, createKnownBrowsers, type KnownBrowsers } from '../passwords/known-browsers.ts'
import { forgetFailures } from '../passwords/password-store.ts'
import { createCookies } from '../sessions/cookies.ts'
import type { Sessions, StartedSession } from '../sessions/sessions.ts'
import { signInWaysOf } from '../sign-in-ways.ts'
import { invalidToken } from '../unauthorized.ts'
import { digestOfCode } from './codes.ts'
import {
  findSignInStep,
  insertSignInStep,
  signInStepSeconds,
  takeAppCode,
  takeRecoveryCode,
  takeSignInStep,
  type WaitingUser,
} from './second-factor-store.ts'

type Call = { readonly request: FastifyRequest; readonly reply: FastifyReply }

/** What a sign-in still needs. */
export type NextStep = {
  /** A second factor, or first one that is set up. */
  readonly next: 'second-factor' | 'set-up'
  readonly has_app: boolean
  readonly has_passkeys: boolean
}

type FirstFactor = {
  readonly userId: number
  readonly way: AuditedSignInWay
  /** Runs first in the transaction of the session or of the step; what it throws prevents both. */
  readonly beforeStart: (connection: Queryable) => Promise<void>
}

/** A user whose sign-in waits in this browser. */
type Waiting = WaitingUser & { readonly digest: string }

export type SecondStep = {
  /** Starts the session of a user whose first factor was right, or says what is needed before. */
  readonly after: (one: FirstFactor, call: Call) => Promise<StartedSession | NextStep>
  /** Ends a sign-in with a code of the app, or a recovery code. */
  readonly confirm: (code: string, call: Call) => Promise<StartedSession>
  /** Who sets up a second factor in order to sign in; throws an error 404 if nobody does. */
  readonly settingUp: (request: FastifyRequest) => Promise<Waiting>
  /** Starts the session of a user who waits; `work` runs first in its transaction. */
  readonly finish: (
    waiting: Waiting,
    call: Call,
    work: (connection: Queryable) => Promise<void>,
  ) => Promise<StartedSession>
}

type Options = {
  readonly config: Config
  readonly pool: Pool
  readonly sessions: Sessions
  readonly observe: Observe
  /** Keys of the roles whose users need a second factor. */
  readonly secondFactorFor: readonly string[]
}

/** Creates what finds and ends the sign-ins that wait. */
const createWaiting = ({ config, pool, sessions }: Options, browsers: KnownBrowsers) => {
  const cookies = createCookies(config)

  const find = async ({ headers }: FastifyRequest): Promise<Waiting> => {
    const secret = cookies.read(headers.cookie, 'step') ?? ''
    const digest = digestOf(secret)
    const waiting = /^[\w-]{43}$/.test(secret) ? await findSignInStep(pool, digest) : undefined
    if (!waiting) throw noStep()
    return { ...waiting, digest }
  }

  const finish: SecondStep['finish'] = async ({ userId, digest }, { request, reply }, work) => {
    const started = await sessions.start(request, reply, {
      userId,
      actingUserId: null,
      way: 'secondFactor',
      maySwitch: false,
      beforeStart: async (connection) => {
        // Of two at once, the second finds none.
        if (!(await takeSignInStep(connection, digest))) throw noStep()
        await work(connection)
      },
    })
    await browsers.remember(userId, request, reply)
    reply.header('Set-Cookie', cookies.print('step', '', 0))
    return started
  }

  return { find, finish }
}

/** Creates the second step of one service. */
export const createSecondStep = (options: Options): SecondStep => {
  const { config, pool, sessions, observe, secondFactorFor } = options
  const cookies = createCookies(config)
  const browsers = createKnownBrowsers(pool, config)
  const nextStep = createNextStep(secondFactorFor)

  const { find, finish } = createWaiting(options, browsers)
  return {
    finish,
    after: async ({ userId, way, beforeStart }, { request, reply }) => {
      const next = await nextStep(pool, userId)
      if (next) {
        const secret = randomBytes(32).toString('base64url')
        await transaction(pool, async (connection) => {
          await beforeStart(connection)
          await insertSignInStep(connection, digestOf(secret), userId)
        })
        // A request with its cookie would be one of that user.
        await sessions.leave(request, reply)
        reply.status(202).header('Set-Cookie', cookies.print('step', secret, signInStepSeconds))
        return next
      }
      const started = await sessions.start(request, reply, {
        userId,
        actingUserId: null,
        way,
        maySwitch: false,
        beforeStart: async (connection) => {
          await beforeStart(connection)
          // The user may have set one up meanwhile.
          if (await nextStep(connection, userId)) throw changedMeanwhile()
        },
      })
      await browsers.remember(userId, request, reply)
      return started
    },
    confirm: async (code, call) => {
      sessions.assertOwnPage(call.request)
      const waiting = await find(call.request)
      const { userId } = waiting
      const target = await browsers.targetOf(call.request, { userId, of: 'second factor' })
      const attempt = { way: 'secondFactor', userId, request: call.request } as const
      let used: Awaited<ReturnType<typeof takeCode>>
      const started = await orRefused(pool, attempt, async () => {
        await assertOpen(pool, target)
        return finish(waiting, call, async (connection) => {
          used = await takeCode(connection, userId, code)
          if (used === undefined) throw invalidToken('The code is wrong or was used.')
        })
      })
      await forgetFailures(pool, target)
      if (used === 'recovery code') observe({ kind: 'recoveryCodeUsed', userId })
      return started
    },
    settingUp: async (request) => {
      sessions.assertOwnPage(request)
      const waiting = await find(request)
      // Who knows a password alone must not add a second factor to another one.
      if ((await nextStep(pool, waiting.userId))?.next !== 'set-up') throw noStep()
      return waiting
    },
  }
}

const noStep = () =>
  apiError('session.unknown', 'No sign-in waits here for a second step. Begin again.')

const changedMeanwhile = () =>
  apiError('request.contended', 'The ways in which you sign in have changed. Sign in again.', {
    headers: { 'Retry-After': '1' },
  })

/** What the first factor of a user does not suffice for; undefined if it suffices. */
const createNextStep =
  (secondFactorFor: readonly string[]) =>
  async (database: Queryable, userId: number): Promise<NextStep | undefined> => {
    const ways = (await signInWaysOf(database, [userId])).get(userId)
    const [has_app, has_passkeys] = [ways?.has_second_factor === true, (ways?.passkeys ?? 0) > 0]
    if (has_app) return { next: 'second-factor', has_app, has_passkeys }
    if (!(await isRequired(database, userId, secondFactorFor))) return undefined
    return { next: has_passkeys ? 'second-factor' : 'set-up', has_app, has_passkeys }
  }

const isRequired = async (
  database: Queryable,
  userId: number,
  secondFactorFor: readonly string[],
): Promise<boolean> => {
  if (secondFactorFor.length === 0) return false
  const roleKey = (await findUserById(database, userId))?.role_key ?? ''
  return roleKeysOf({ roleKey }).some((key) => secondFactorFor.includes(key))
}

const takeCode = async (connection: Queryable, userId: number, typed: string) => {
  const code = typed.replaceAll(/\s/g, '')
  if (/^\d{6}$/.test(code))
    return (await takeAppCode(connection, { userId, code })) ? 'app' : undefined
  const digest = digestOfCode(typed)
  return (await takeRecoveryCode(connection, { userId, digest })) ? 'recovery code' : undefined
}
