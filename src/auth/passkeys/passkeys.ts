/** Passkeys: signing in with one, without a name or a password, and an invitation that makes one (docs/console-sign-in.md). */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { orRefused } from '../../audit/record-audit.ts'
import type { Config } from '../../config/load-config.ts'
import { execute, type Pool, type Queryable } from '../../database/pool.ts'
import { int, sql, text } from '../../database/sql.ts'
import { validationError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { digestOf } from '../callers/api-keys.ts'
import { createKnownBrowsers } from '../passwords/known-browsers.ts'
import { createCookies } from '../sessions/cookies.ts'
import type { Sessions, StartedSession } from '../sessions/sessions.ts'
import { invalidToken } from '../unauthorized.ts'
import {
  findPasskey,
  insertPasskey,
  markPasskeyUsed,
  type Passkey,
  selectKnownCredentials,
} from './passkey-store.ts'
import {
  type CreatedPasskey,
  handleOf,
  keyAlgorithms,
  type PasskeyProof,
  type RelyingParty,
  readCreated,
  readProof,
  relyingPartyOf,
} from './verify-passkey.ts'

type Call = { readonly request: FastifyRequest; readonly reply: FastifyReply }
type Person = { readonly userId: number; readonly fullName: string; readonly email: string }

/** What a page asks the device to sign (Web Authentication, 5.5). */
type SigningOptions = {
  readonly challenge: string
  readonly rpId: string
  readonly timeout: number
  readonly userVerification: 'required'
}

type KnownCredential = {
  readonly type: 'public-key'
  readonly id: string
  readonly transports: readonly string[]
}

/** What a page asks the device to make (Web Authentication, 5.4). */
export type CreationOptions = {
  readonly challenge: string
  readonly rp: { readonly id: string; readonly name: string }
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly pubKeyCredParams: readonly { readonly type: 'public-key'; readonly alg: number }[]
  readonly timeout: number
  readonly attestation: 'none'
  readonly authenticatorSelection: {
    readonly residentKey: 'required'
    readonly requireResidentKey: true
    readonly userVerification: 'required'
  }
  readonly excludeCredentials: readonly KnownCredential[]
}

/** A passkey as a page sends it, with the name that its user gives it. */
export type NamedPasskey = { readonly name: string; readonly passkey: CreatedPasskey }

export type Passkeys = {
  /** Begins a signature of this browser. */
  readonly beginProof: (call: Call) => SigningOptions
  /** Signs in. An error 401 is the same whatever was wrong. */
  readonly signIn: (proof: PasskeyProof, call: Call) => Promise<StartedSession>
  /** Whether the user has signed with a passkey of theirs; its challenge is used up. */
  readonly isProof: (proof: PasskeyProof, userId: number, call: Call) => Promise<boolean>
  /** Begins a passkey of a user in this browser. */
  readonly beginPasskey: (person: Person, call: Call) => Promise<CreationOptions>
  /** Reads the passkey that a browser has made for a user; the result stores it. Throws an error 400 if it is wrong. */
  readonly read: (
    given: NamedPasskey,
    userId: number,
    call: Call,
  ) => Promise<(connection: Queryable) => Promise<Passkey>>
}

type Options = {
  readonly config: Config
  /** Why nobody signs in by a passkey here. */
  readonly reason: string | undefined
  readonly pool: Pool
  readonly sessions: Sessions
  readonly signer: CookieSigner
  readonly observe: Observe
  readonly serviceName: string
}

/** Creates the check of signatures: the user whose passkey has signed. The use is noted by `use`, in a transaction. */
const createCheck =
  (
    { pool, observe }: Pick<Options, 'pool' | 'observe'>,
    challenges: Challenges,
    siteOf: (request: FastifyRequest) => RelyingParty,
  ) =>
  async (proof: PasskeyProof, request: FastifyRequest) => {
    const challenge = challenges.find(request, 'passkey of a sign-in')
    const found = await findPasskey(pool, proof.id)
    if (challenge === undefined || !found) return undefined
    const counter = await readProof(proof, found, { challenge, site: siteOf(request) })
    if (counter === undefined) return undefined
    const { id, userId } = found
    const use = async (connection: Queryable): Promise<boolean> => {
      if (!(await useChallenge(connection, challenge))) return false
      const former = await markPasskeyUsed(connection, { id, counter })
      // Devices that share a passkey count nothing, and send 0.
      if (former !== undefined && former > 0 && counter <= former)
        observe({ kind: 'passkeyCounterFell', userId, passkeyId: id, former, counter })
      return former !== undefined
    }
    return { userId, use }
  }

/** Creates the passkeys of one service. */
export const createPasskeys = (options: Options): Passkeys => {
  const { config, reason, pool, sessions, serviceName } = options
  const challenges = createChallenges(config, options.signer)
  const browsers = createKnownBrowsers(pool, config)
  const siteOf = ({ socket }: FastifyRequest) => relyingPartyOf(config, socket.localPort)
  const assertOffered = (request: FastifyRequest) => {
    sessions.assertOwnPage(request)
    if (reason !== undefined) throw invalidToken(`Nobody signs in by a passkey here. ${reason}`)
  }

  const check = createCheck(options, challenges, siteOf)
  return {
    beginProof: ({ request, reply }) => {
      assertOffered(request)
      return {
        challenge: challenges.begin(reply, 'passkey of a sign-in'),
        rpId: siteOf(request).id,
        timeout: challengeSeconds * 1000,
        userVerification: 'required',
      }
    },
    signIn: async (proof, { request, reply }) => {
      assertOffered(request)
      const { userId, use } = await orRefused(pool, { way: 'passkey', request }, async () => {
        const checked = await check(proof, request)
        if (!checked) throw invalidToken(wrongPasskey)
        return checked
      })
      const started = await sessions.start(request, reply, {
        userId,
        actingUserId: null,
        way: 'passkey',
        maySwitch: false,
        beforeStart: async (connection) => {
          if (!(await use(connection))) throw invalidToken(wrongPasskey)
        },
      })
      await browsers.remember(userId, request, reply)
      return started
    },
    isProof: async (proof, userId, { request }) => {
      const checked = await check(proof, request)
      return checked?.userId === userId && checked.use(pool)
    },
    beginPasskey: async (person, { request, reply }) => {
      assertOffered(request)
      return optionsOf(person, {
        challenge: challenges.begin(reply, `new passkey of user ${person.userId}`),
        site: siteOf(request),
        serviceName,
        known: await selectKnownCredentials(pool, person.userId),
      })
    },
    read: async ({ name, passkey }, userId, { request }) => {
      assertOffered(request)
      const challenge = challenges.find(request, `new passkey of user ${userId}`)
      if (challenge === undefined) throw wrongCreation()
      const made = await readCreated(passkey, { challenge, site: siteOf(request) })
      if (!made) throw wrongCreation()
      return async (connection) => {
        if (!(await useChallenge(connection, challenge))) throw wrongCreation()
        const stored = await insertPasskey(connection, { ...made, userId, name })
        if (!stored) throw notStored()
        return stored
      }
    },
  }
}

const wrongPasskey = 'The passkey is wrong or unknown, or confirming took longer than five minutes.'

const atPasskey = (message: string) =>
  validationError('request.invalid', [{ path: 'passkey', message }])
const wrongCreation = () => atPasskey('is wrong, or making it took longer than five minutes')
const notStored = () => atPasskey('is known already, or its user has as many as are possible')

type Beginning = {
  readonly challenge: string
  readonly site: RelyingParty
  readonly serviceName: string
  readonly known: Awaited<ReturnType<typeof selectKnownCredentials>>
}

const optionsOf = (
  { userId, fullName, email }: Person,
  { challenge, site, serviceName, known }: Beginning,
): CreationOptions => ({
  challenge,
  rp: { id: site.id, name: serviceName },
  user: { id: handleOf(userId), name: email, displayName: fullName },
  pubKeyCredParams: keyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout: challengeSeconds * 1000,
  attestation: 'none',
  // It names its user by itself.
  authenticatorSelection: {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  },
  excludeCredentials: known.map(({ credential_id: id, transports }) => ({
    type: 'public-key',
    id,
    transports,
  })),
})

// Challenges of passkeys. One is in a signed cookie, so that it belongs to the browser that has asked, and that those who
// only ask fill no table. It works once, within five minutes.

/** Signs what a browser keeps, by the key of the database. */
export type CookieSigner = {
  readonly sign: (claim: object) => string
  readonly read: (token: string) => Readonly<Record<string, unknown>> | undefined
}

/** What a challenge is for: signing in, or a new passkey of a user. */
type Purpose = 'passkey of a sign-in' | `new passkey of user ${number}`

type Challenges = {
  /** Makes a challenge, and sets its cookie. */
  readonly begin: (reply: FastifyReply, purpose: Purpose) => string
  /** The challenge of the browser; undefined if it has none for this purpose, or one that is too old. */
  readonly find: (request: FastifyRequest, purpose: Purpose) => string | undefined
}

/** Time for confirming with a passkey. */
const challengeSeconds = 300

/** Creates the challenges of one service. */
const createChallenges = (config: Config, signer: CookieSigner): Challenges => {
  const cookies = createCookies(config)
  return {
    begin: (reply, purpose) => {
      const challenge = randomBytes(32).toString('base64url')
      const until = Date.now() + challengeSeconds * 1000
      const value = signer.sign({ purpose, challenge, until })
      reply.header('Set-Cookie', cookies.print('challenge', value, challengeSeconds))
      return challenge
    },
    find: ({ headers }, wanted) => {
      const claim = signer.read(cookies.read(headers.cookie, 'challenge') ?? '')
      const { purpose, challenge, until } = claim ?? {}
      const isOpen = purpose === wanted && typeof until === 'number' && until > Date.now()
      return isOpen && typeof challenge === 'string' ? challenge : undefined
    },
  }
}

/** Uses up a challenge; false if it was used already. */
const useChallenge = async (database: Queryable, challenge: string): Promise<boolean> => {
  const inserted = await execute(
    database,
    sql`
      INSERT INTO docket.used_challenge (digest, expires_at)
      VALUES (${text(digestOf(challenge))}, now() + make_interval(secs => ${int(challengeSeconds)}))
      ON CONFLICT DO NOTHING`,
  )
  return inserted > 0
}
