/**
 * Sign-in by a code that is sent by e-mail. It signs in only in the browser that asked for it, which a cookie shows: a code that
 * others read, or guess elsewhere, is of no use to them.
 */
import { randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { orRefused } from '../../audit/record-audit.ts'
import type { Config } from '../../config/load-config.ts'
import {
  execute,
  type Pool,
  type Queryable,
  queryRow,
  queryRows,
  queryValue,
} from '../../database/pool.ts'
import { int, json, sql, table, text } from '../../database/sql.ts'
import { enqueue, jobKind, jobsIn } from '../../jobs/job.ts'
import { lowerCase } from '../../lower-case.ts'
import { activeUser } from '../../users/user-store.ts'
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
import { codeMinutes, findCode, takeCode } from './one-time-code-store.ts'

type Call = { readonly request: FastifyRequest; readonly reply: FastifyReply }

export type AskedCodes = {
  /** Sends a code to the user with this e-mail or user name; no answer shows whether there is one. 429: the last one is too new. */
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

/** Sends a code that was asked for; `event` identifies its e-mail. */
export const sendAskedCode = jobKind<{ readonly code_id: number; readonly event: string }>(
  'signIn.sendCode',
)

/** The active user with this e-mail or user name; upper and lower case are the same. */
const findNamedUser = (database: Queryable, name: string): Promise<number | undefined> =>
  queryValue<number>(
    database,
    sql`
      SELECT u.id
      FROM ${table('user')} u
      WHERE (u.email = ${text(lowerCase(name))} OR u.username = ${text(lowerCase(name))})
        AND ${activeUser('u')}
      ORDER BY u.email = ${text(lowerCase(name))} DESC LIMIT 1`,
  )

type Asked = {
  readonly userId: number | undefined
  /** Of the cookie. */
  readonly digest: string
  readonly event: string
}

/** Stores that a browser has asked for a code, and what sends it: the same for a name that nobody has. */
const insertAskedCode = async (
  database: Queryable,
  { userId, digest, event }: Asked,
): Promise<void> => {
  const job = enqueue({
    kind: sendAskedCode,
    payload: sql`(jsonb_build_object('code_id', a.id) || ${json({ event })}::jsonb)::json`,
  })
  await queryRows(
    database,
    sql`
      WITH asked AS (
        INSERT INTO docket.one_time_code (kind, user_id, digest, expires_at)
        VALUES ('code', ${int(userId ?? null)}, ${text(digest)},
          now() + make_interval(mins => ${int(codeMinutes)}))
        RETURNING id
      )
      SELECT ${jobsIn(job, 'jobs')} FROM asked a`,
  )
}

/** The user of a code that was asked for and has not ended; undefined if nobody has the name. */
export const findAskingUser = async (
  database: Queryable,
  id: number,
): Promise<number | undefined> =>
  (await queryValue<number | null>(
    database,
    sql`
      SELECT user_id FROM docket.one_time_code
      WHERE id = ${int(id)} AND kind = 'code' AND expires_at > now()`,
  )) ?? undefined

/** Stores the answer to a code that is about to be sent; `answerOf` gives it by the digest of the browser. False: it has ended. */
export const setAnswer = async (
  database: Queryable,
  id: number,
  answerOf: (digest: string) => string,
): Promise<boolean> => {
  const row = await queryRow<{ digest: string }>(
    database,
    sql`
      SELECT digest FROM docket.one_time_code
      WHERE id = ${int(id)} AND kind = 'code' AND expires_at > now()`,
  )
  if (!row) return false
  const set = await execute(
    database,
    sql`UPDATE docket.one_time_code SET answer = ${text(answerOf(row.digest))} WHERE id = ${int(id)}`,
  )
  return set > 0
}

type Try = {
  /** Who asked for the code; undefined: nobody has the name. */
  readonly userId: number | undefined
  /** That is right; undefined if there is none or no try is left. */
  readonly answer: string | undefined
}

/** Counts a try of the browser. */
const countTry = async (database: Queryable, digest: string): Promise<Try> => {
  const row = await queryRow<{ user_id: number | null; answer: string | null }>(
    database,
    sql`
      WITH tried AS (
        UPDATE docket.one_time_code SET tries_left = tries_left - 1
        WHERE digest = ${text(digest)} AND kind = 'code' AND expires_at > now() AND tries_left > 0
        RETURNING answer
      )
      SELECT c.user_id, t.answer
      FROM docket.one_time_code c LEFT JOIN tried t ON true
      WHERE c.digest = ${text(digest)} AND c.kind = 'code'`,
  )
  return { userId: row?.user_id ?? undefined, answer: row?.answer ?? undefined }
}
