/** API keys that users make and revoke for themselves, and that administrators revoke (docs/api-keys.md). */
import type { FastifyRequest } from 'fastify'
import { originOf } from '../../audit/record-audit.ts'
import type { Config } from '../../config/load-config.ts'
import type { Pool } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { apiError, validationError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { type Author, authorOf } from '../caller.ts'
import {
  type ApiKey,
  createApiKey,
  isLastDay,
  listApiKeys,
  revokeApiKey,
} from '../callers/api-keys.ts'
import type { CallerCache } from '../callers/caller-cache.ts'
import { parseKeyScope, unknownInScope } from '../key-scopes.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { assertProven, currentOwn } from './own-session.ts'

/** A key that was not revoked, as it is listed. */
type OwnKey = Omit<ApiKey, 'user_id' | 'email' | 'revoked_at'> & {
  /** Those that the scope names and the project does not have: on them the key has no right. */
  readonly unknown_entities: readonly string[]
}

type Wanted = { readonly name: string; readonly scope?: string; readonly until?: string }

export type OwnKeys = {
  readonly list: (userId: number) => Promise<readonly OwnKey[]>
  /** Makes a key for the user of a session who has proven who they are; the result has the key itself, this once. */
  readonly create: (
    wanted: Wanted,
    request: FastifyRequest,
  ) => Promise<OwnKey & { readonly key: string }>
  /** Revokes a key of a user in every process; throws an error 404 if they have none with this id. */
  readonly revoke: (one: {
    readonly id: number
    readonly userId: number
    readonly by: Author
    readonly request: FastifyRequest
  }) => Promise<void>
}

type Options = {
  readonly config: Config
  readonly pool: Pool
  readonly catalog: Catalog
  readonly timeZone: string
  readonly callers: CallerCache
  readonly sessions: Sessions
  readonly observe: Observe
}

// A person needs some, and every request may list them.
const maxKeys = 100

/** Creates the keys of the users of one service. */
export const createOwnKeys = (options: Options): OwnKeys => {
  const { pool, catalog, timeZone, callers, sessions, observe } = options
  const note = (userId: number, change: 'added' | 'removed', by: number): void =>
    observe({
      kind: 'credentialChanged',
      userId,
      credential: 'API key',
      change,
      by: by === userId ? 'user' : 'administrator',
    })
  const list: OwnKeys['list'] = async (userId) =>
    (await listApiKeys(pool, { userId, isOpen: true })).map(
      ({ user_id: _user, email: _email, revoked_at: _revoked, ...key }) => ({
        ...key,
        unknown_entities: key.scope === null ? [] : unknownInScope(catalog, key.scope),
      }),
    )
  return {
    list,
    create: async ({ name, scope, until }, request) => {
      const { caller, session } = await currentOwn(sessions, request)
      await assertProven(pool, session.id)
      const { userId } = caller
      if ((await list(userId)).length >= maxKeys)
        throw refused('', `you have ${maxKeys} keys already: revoke one`)
      if (until !== undefined && !isLastDay(until))
        throw refused('until', 'must be a day that has not passed, such as 2027-01-31')
      const made = await transaction(pool, (connection) =>
        createApiKey(connection, {
          userId,
          name,
          scope: scope === undefined ? undefined : checkedScope(catalog, scope),
          until: until === undefined ? undefined : { day: until, timeZone },
          by: { by: authorOf(caller), origin: originOf(request) },
        }),
      )
      note(userId, 'added', userId)
      const listed = (await list(userId)).find(({ id }) => id === made.id)
      if (!listed) throw unknownKey(made.id)
      return { ...listed, key: made.key }
    },
    revoke: async ({ id, userId, by, request }) => {
      const revoke = { userId, by: { by, origin: originOf(request) } }
      if (!(await transaction(pool, (connection) => revokeApiKey(connection, id, revoke))))
        throw unknownKey(id)
      // The database notifies other processes; this one must drop the caller before it answers.
      callers.forget(userId)
      note(userId, 'removed', by.userId)
    },
  }
}

const refused = (path: string, message: string) =>
  validationError('request.invalid', [{ path, message }])

const checkedScope = (catalog: Catalog, given: string): string => {
  const read = parseKeyScope(catalog, given)
  if ('scope' in read) return read.scope
  throw validationError(
    'request.invalid',
    read.issues.map((message) => ({ path: 'scope', message })),
  )
}

/** The error of a key that the user does not have. */
export const unknownKey = (id: number | string) =>
  apiError('record.unknown', `The user has no API key ${id}.`)
