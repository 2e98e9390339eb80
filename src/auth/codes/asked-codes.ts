/**
 * Sign-in by a code that is sent by e-mail. It signs in only in the browser that asked for it, which a cookie shows: a code that
 * others read, or guess elsewhere, is of no use to them.
 */
import { randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { orRefused } from '../../audit/record-audit.ts'
import type { Config } from '../../config/load-config.ts'
import type { Pool, Queryable } from '../../database/pool.ts'
import { digestOf } from '../callers/api-keys.ts'
import {
  assertOpen,
  createKnownBrowsers,
  type KnownBrowsers,
  nameTarget,
} from '../passwords/known-browsers.ts'
import { forgetFailures } from '../passwords/password-store.ts'
import type { NextStep, SecondStep } from '../second-factor/second-step.ts'
import { type Cookies, createCookies } from '../sessions/cookies.ts'
import type { Sessions, StartedSession } from '../sessions/sessions.ts'
import type { SignInWays } from '../sign-in-ways.ts'
import { invalidToken } from '../unauthorized.ts'
import { countTry, findNamedUser, insertAskedCode } from './asked-code-store.ts'
import { codeMinutes, findCode, takeCode } from './one-time-code-store.ts'

type Call = { readonly request: FastifyRequest; readonly reply: FastifyReply }

export type AskedCodes = {
  /** Sends a code to the user with this e-mail or user name; nobody learns whether there is one. 429: the last one is too new. */
  readonly ask: (name: string, call: Call) => Promise<void>
  /** Signs in the browser that asked; throws an error 401 that is the same whatever was wrong. */
  readonly signIn: (code: string, call: Call) => Promise<StartedSession | NextStep>
}

type Options = {
  readonly config: Config
  readonly ways: SignInWays
  readonly pool: Pool
  readonly sessions: Sessions
  readonly secondStep: SecondStep
}

type Deps = Options & { readonly browsers: KnownBrowsers; readonly cookies: Cookies }

/** Creates the codes of one service. */
export const createAskedCodes = (options: Options): AskedCodes => {
  const { config, ways, pool, sessions } = options
  const deps = {
    ...options,
    browsers: createKnownBrowsers(pool, config),
    cookies: createCookies(config),
  }
  const reason = ways.whyNot('code')
  const assertOffered = ({ request }: Call) => {
    // A page of another service must neither send e-mails nor sign a browser in as another user.
    sessions.assertOwnPage(request)
    if (reason !== undefined) throw invalidToken(`Nobody signs in by a code here. ${reason}`)
  }
  return {
    ask: async (name, call) => {
      assertOffered(call)
      await ask(deps, name, call)
    },
    signIn: async (code, call) => {
      assertOffered(call)
      return signIn(deps, code, call)
    },
  }
}

/** Eight digits, for people to type. */
export const newCode = (): string => String(randomInt(100_000_000)).padStart(8, '0')

/** What is stored of a code: it is right for one browser alone. */
export const answerOf = (browser: string, code: string): string => digestOf(`${browser} ${code}`)

// One a minute, and ever fewer: at most seven in the first hour, then four an hour.
const perAsker = { free: 1, first: 60, longest: 900 } as const
// What unknown browsers at all addresses may send to one user together.
const perName = { free: 6, first: 60, longest: 900 } as const

const wrongCode =
  'The code is wrong, was used, is older than ten minutes, or was asked for in another browser.'

/**
 * What asking for codes counts for. Others who ask for codes of a user do not keep the user out: a browser in which they have signed
 * in counts apart, and so does each address, as long as not many addresses ask together.
 */
const targetsOf = (target: string, { name, ip }: { readonly name: string; readonly ip: string }) =>
  target === name
    ? [
        { target: digestOf(`code for ${target} at ${ip}`), pauses: perAsker },
        { target: digestOf(`code for ${target}`), pauses: perName },
      ]
    : [{ target: digestOf(`code for ${target}`), pauses: perAsker }]

const ask = async (
  { pool, browsers, cookies }: Deps,
  name: string,
  { request, reply }: Call,
): Promise<void> => {
  // One address cannot ask for everybody.
  request.hasWrongCredential = true
  const userId = await findNamedUser(pool, name)
  const target = await browsers.targetOf(request, { name, userId })
  for (const one of targetsOf(target, { name: nameTarget({ name, userId }), ip: request.ip }))
    await assertOpen(pool, one.target, {
      pauses: one.pauses,
      message: 'A code was asked for a short while ago.',
    })
  const secret = randomBytes(32).toString('base64url')
  await insertAskedCode(pool, { userId, digest: digestOf(secret), event: randomUUID() })
  reply.header('Set-Cookie', cookies.print('code', secret, codeMinutes * 60))
}

const signIn = async (
  { pool, secondStep, browsers, cookies }: Deps,
  code: string,
  call: Call,
): Promise<StartedSession | NextStep> => {
  const { request, reply } = call
  const digest = digestOf(cookies.read(request.headers.cookie, 'code') ?? '')
  const tried = await countTry(pool, digest)
  const attempt = { way: 'code', userId: tried.userId, request } as const
  const userId = await orRefused(pool, attempt, async () => {
    const answer = Buffer.from(tried.answer ?? '')
    const given = Buffer.from(answerOf(digest, code.replaceAll(/\s/g, '')))
    const isRight = answer.length === given.length && timingSafeEqual(answer, given)
    const found = isRight ? await findCode(pool, { kind: 'code', digest }) : undefined
    if (!found) throw invalidToken(wrongCode)
    return found.userId
  })
  const beforeStart = async (connection: Queryable) => {
    // Of two at once, the second finds none.
    if ((await takeCode(connection, { kind: 'code', digest })) === undefined)
      throw invalidToken(wrongCode)
  }
  const started = await secondStep.after({ userId, way: 'code', beforeStart }, call)
  const name = nameTarget({ name: '', userId })
  const target = await browsers.targetOf(request, { name: '', userId })
  for (const one of targetsOf(target, { name, ip: request.ip }))
    await forgetFailures(pool, one.target)
  reply.header('Set-Cookie', cookies.print('code', '', 0))
  return started
}
