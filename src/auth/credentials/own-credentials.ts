/**
 * The ways to sign in that users arrange for themselves: passkeys, the app of the second factor, recovery codes. A user who adds or removes
 * one has proven within the last minutes who they are, or sets one up in the middle of a sign-in that needs it.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf, recordAudit } from '../../audit/record-audit.ts'
import type { Config } from '../../config/load-config.ts'
import type { Pool, Queryable } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import { apiError, validationError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import type { CallerCache } from '../callers/caller-cache.ts'
import {
  deletePasskey,
  type Passkey,
  renamePasskey,
  selectPasskeys,
} from '../passkeys/passkey-store.ts'
import type { CreationOptions, NamedPasskey, Passkeys } from '../passkeys/passkeys.ts'
import { createKnownBrowsers } from '../passwords/known-browsers.ts'
import { endSessionsOf } from '../passwords/password-store.ts'
import {
  appAddress,
  createRecoveryCodes,
  digestOfCode,
  keyBytes,
  printBase32,
  readBase32,
} from '../second-factor/codes.ts'
import {
  countRecoveryCodes,
  deleteApp,
  findApp,
  findStepOfCode,
  isProven,
  lockSignIns,
  storeApp,
  storeRecoveryCodes,
} from '../second-factor/second-factor-store.ts'
import type { SecondStep } from '../second-factor/second-step.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { signInWaysOf } from '../sign-in-ways.ts'
import { assertProven, currentOwn } from './own-session.ts'

type Call = { readonly request: FastifyRequest; readonly reply: FastifyReply }
type Person = { readonly userId: number; readonly fullName: string; readonly email: string }
type Work<T> = (connection: Queryable) => Promise<T>

/** What a user signs in with; times are ISO 8601. */
type Credentials = {
  readonly has_password: boolean
  readonly passkeys: readonly Passkey[]
  /** Since when an app is asked after the password; null: none is. */
  readonly app_since: string | null
  readonly recovery_codes: number
  /** Whether the user may change them now, without a further proof. */
  readonly is_proven: boolean
}

/** A key for an app that is set up. */
type NewKey = { readonly key: string; readonly address: string }

export type OwnCredentials = {
  readonly find: (call: Call) => Promise<Credentials>
  readonly beginPasskey: (call: Call) => Promise<CreationOptions>
  readonly addPasskey: (given: NamedPasskey, call: Call) => Promise<Passkey>
  readonly renamePasskey: (id: number, name: string, call: Call) => Promise<void>
  readonly removePasskey: (id: number, call: Call) => Promise<void>
  readonly beginApp: (call: Call) => Promise<NewKey>
  /** Sets the app whose code shows that it has the key; the result is the recovery codes. */
  readonly setApp: (
    given: { readonly key: string; readonly code: string },
    call: Call,
  ) => Promise<readonly string[]>
  readonly removeApp: (call: Call) => Promise<void>
  readonly renewRecoveryCodes: (call: Call) => Promise<readonly string[]>
}

type Options = {
  readonly config: Config
  readonly pool: Pool
  readonly callers: CallerCache
  readonly sessions: Sessions
  readonly passkeys: Passkeys
  readonly secondStep: SecondStep
  readonly observe: Observe
  readonly serviceName: string
}

/** Creates the credentials of the users of one service. */
export const createOwnCredentials = (options: Options): OwnCredentials => {
  const { pool, sessions, passkeys, observe, serviceName } = options
  const changing = createChanging(options)

  const note: Parts['note'] = (userId, credential, change) =>
    observe({ kind: 'credentialChanged', userId, credential, change, by: 'user' })

  return {
    find: async ({ request }) => {
      const { caller, session } = await sessions.current(request)
      const { userId } = caller
      const ways = (await signInWaysOf(pool, [userId])).get(userId)
      return {
        has_password: ways?.has_password ?? false,
        passkeys: await selectPasskeys(pool, userId),
        app_since: (await findApp(pool, userId))?.set_at ?? null,
        recovery_codes: await countRecoveryCodes(pool, userId),
        is_proven: caller.actingUser === null && (await isProven(pool, session.id)),
      }
    },
    beginPasskey: async (call) => passkeys.beginPasskey((await changing(call)).person, call),
    addPasskey: async (given, call) => {
      const { person, save, tell } = await changing(call)
      const { userId } = person
      const store = await passkeys.read(given, userId, call)
      const added = await save(async (connection) => {
        await tell(connection, { credential: 'passkey', change: 'added' })
        return store(connection)
      })
      note(userId, 'passkey', 'added')
      return added
    },
    renamePasskey: async (id, name, { request }) => {
      const { caller } = await currentOwn(sessions, request)
      if (!(await renamePasskey(pool, { id, userId: caller.userId }, name))) throw noPasskey(id)
    },
    removePasskey: async (id, call) => {
      const { person, saveAndEnd, tell } = await changing(call, { isSettingUp: false })
      const { userId } = person
      await saveAndEnd(async (connection) => {
        if (!(await deletePasskey(connection, { id, userId }))) throw noPasskey(id)
        await tell(connection, { credential: 'passkey', change: 'removed' })
      })
      note(userId, 'passkey', 'removed')
    },
    ...appOf({ pool, serviceName, changing, note }),
  }
}

type Parts = Pick<Options, 'pool' | 'serviceName'> & {
  readonly changing: ReturnType<typeof createChanging>
  readonly note: (
    userId: number,
    credential: 'passkey' | 'app' | 'recovery codes',
    change: 'added' | 'removed',
  ) => void
}

type AppMethods = 'beginApp' | 'setApp' | 'removeApp' | 'renewRecoveryCodes'

/** The app of the second factor, and its recovery codes. */
const appOf = ({ pool, serviceName, changing, note }: Parts): Pick<OwnCredentials, AppMethods> => ({
  beginApp: async (call) => {
    const { person } = await changing(call)
    const key = printBase32(randomBytes(keyBytes))
    return { key, address: appAddress(key, person.email, serviceName) }
  },
  setApp: async ({ key, code }, call) => {
    const { person, saveAndEnd, tell } = await changing(call)
    const { userId } = person
    const bytes = readBase32(key)
    const step = await findStepOfCode(pool, bytes, code)
    if (step === undefined) throw wrongCode()
    const codes = createRecoveryCodes()
    await saveAndEnd(async (connection) => {
      await lockSignIns(connection, userId)
      await storeApp(connection, { userId, key: bytes, step })
      await storeRecoveryCodes(connection, userId, codes.map(digestOfCode))
      await tell(connection, { credential: 'app', change: 'added' })
    })
    note(userId, 'app', 'added')
    return codes
  },
  removeApp: async (call) => {
    const { person, saveAndEnd, tell } = await changing(call, { isSettingUp: false })
    await saveAndEnd(async (connection) => {
      if (!(await deleteApp(connection, person.userId))) throw noApp()
      await tell(connection, { credential: 'app', change: 'removed' })
    })
    note(person.userId, 'app', 'removed')
  },
  renewRecoveryCodes: async (call) => {
    const { person, save, tell } = await changing(call, { isSettingUp: false })
    const { userId } = person
    const codes = createRecoveryCodes()
    await save(async (connection) => {
      if (!(await findApp(connection, userId))) throw noApp()
      await storeRecoveryCodes(connection, userId, codes.map(digestOfCode))
      await tell(connection, { credential: 'recovery codes', change: 'added' })
    })
    note(userId, 'recovery codes', 'added')
    return codes
  },
})

const noPasskey = (id: number) => apiError('record.unknown', `You have no passkey ${id}.`)
const noApp = () => apiError('record.unknown', 'You have no authenticator app.')
const wrongCode = () =>
  validationError('request.invalid', [
    { path: 'code', message: 'is not the code that an app with this key shows now' },
  ])

/** Who changes their ways to sign in, and how a change is written. */
type Changing = {
  readonly person: Person
  /** Writes the change; in the middle of a sign-in it starts the session. */
  readonly save: <T>(work: Work<T>) => Promise<T>
  /** Also ends the other sessions of the user. */
  readonly saveAndEnd: <T>(work: Work<T>) => Promise<T>
  /** Records the change in the audit, in its transaction. */
  readonly tell: (connection: Queryable, change: CredentialChange) => Promise<void>
}

type CredentialChange = {
  readonly credential: 'passkey' | 'app' | 'recovery codes'
  readonly change: 'added' | 'removed'
}

/** Records in the audit that a user has changed how they sign in. */
export const tellCredential =
  (userId: number, request: FastifyRequest): Changing['tell'] =>
  (connection, detail) =>
    recordAudit(connection, {
      kind: 'changeCredential',
      by: { userId, actingUserId: null },
      aboutUserId: userId,
      origin: originOf(request),
      detail,
    })

const createChanging = ({ config, pool, callers, sessions, secondStep }: Options) => {
  const browsers = createKnownBrowsers(pool, config)

  const inSession = async ({ request, reply }: Call): Promise<Changing> => {
    const { caller, session } = await currentOwn(sessions, request)
    await assertProven(pool, session.id)
    const { userId, fullName, email } = caller
    const save = <T>(work: Work<T>): Promise<T> =>
      transaction(pool, async (connection) => {
        // A user who leaves meanwhile has lost the session, and gets no other way in.
        await lockSignIns(connection, userId)
        await assertProven(connection, session.id)
        return work(connection)
      })
    return {
      person: { userId, fullName, email },
      tell: tellCredential(userId, request),
      save,
      saveAndEnd: async (work) => {
        const result = await save(async (connection) => {
          const done = await work(connection)
          await endSessionsOf(connection, { userId, except: session.id })
          return done
        })
        callers.forget(userId)
        await browsers.remember(userId, request, reply)
        return result
      },
    }
  }

  const inSignIn = async (call: Call): Promise<Changing> => {
    const waiting = await secondStep.settingUp(call.request)
    const save = async <T>(work: Work<T>): Promise<T> => {
      const results: T[] = []
      await secondStep.finish(waiting, call, async (connection) => {
        results.push(await work(connection))
        await endSessionsOf(connection, { userId: waiting.userId })
      })
      callers.forget(waiting.userId)
      return results[0] as T
    }
    const tell = tellCredential(waiting.userId, call.request)
    return { person: waiting, save, saveAndEnd: save, tell }
  }

  return (call: Call, { isSettingUp = true } = {}): Promise<Changing> =>
    sessions.isSent(call.request) || !isSettingUp ? inSession(call) : inSignIn(call)
}
