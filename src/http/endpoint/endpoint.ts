/**
 * One method of one path as one value: who may call it, what it accepts and returns, and what it does. It
 * mounts itself, checks its requests, types its handler, and describes itself for the OpenAPI document.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, isScoped } from '../../auth/caller.ts'
import { waitingSignIns } from '../../auth/unauthorized.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import { apiError } from '../../errors.ts'
import { createLimit } from '../../limit.ts'
import { callerOf, openPath } from '../caller-of.ts'
import { describeOperation } from '../openapi/describe-operation.ts'
import type { Answers, HeaderDescriptions, Operation, Schemas, Tag } from '../openapi/operation.ts'
import type { Server } from '../server.ts'
import { type Call, createReader, type Declaration, type Handled, mountPath } from './mount-path.ts'
import type { Parameters } from './parameters.ts'

/** A method of a path that needs `Deps`. */
export type Endpoint<Deps> = {
  readonly mount: (server: Server, deps: Deps) => void
  /** Its operations in the OpenAPI document: one, one per entity, or none for a file of a page. */
  readonly describe: (catalog: Catalog) => readonly Operation[]
}

/** What one feature adds to the API. */
export type ApiSection<Deps> = {
  readonly tags?: readonly Tag[]
  readonly endpoints: readonly Endpoint<Deps>[]
  /** Headers of its responses. */
  readonly headers?: HeaderDescriptions
  /** Schemas that refer to themselves or are built from the catalog; `component` refers to them. */
  readonly schemas?: (catalog: Catalog) => Schemas
}

type Plain<P, Q, H, B, A> = Declaration<P, Q, H, B> & {
  /** Without the base path, such as `/api/jobs/{id}`. */
  readonly path: string
  /** The name of the operation for client generators. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly answers: A
}

type Known<P, Q, H, B, A, Deps> = Plain<P, Q, H, B, A> & {
  /** Who may call: all known callers, or administrators. */
  readonly who: 'caller' | 'administrator'
  /**
   * Whether all that it answers and does is by the rights of the caller's roles, which the scope of an API key narrows; without it a
   * key with a scope is refused.
   */
  readonly isByRights?: true
  readonly handle: (call: Call<P, Q, H, B> & { readonly caller: Caller }, deps: Deps) => Handled<A>
}

/** A path of the service for known callers. */
export const endpoint = <
  Deps,
  const A extends Answers,
  P extends Parameters = Record<never, never>,
  Q extends Parameters = Record<never, never>,
  H extends Parameters = Record<never, never>,
  B = undefined,
>(
  one: Known<P, Q, H, B, A, Deps>,
): Endpoint<Deps> => ({
  mount: (server, deps) => {
    const read = createReader(one)
    mountPath(server, one, async (request, reply) => {
      const caller = callerOf(request)
      if (!one.isByRights) assertUnscoped(caller, one)
      if (one.who === 'administrator') assertAdministrator(caller, one)
      return one.handle({ ...read(request, reply), caller }, deps)
    })
  },
  describe: () => {
    const errors = one.isByRights ? [] : (['caller.forbidden'] as const)
    return [describeOperation(one, { ...one, isPublic: false, errors })]
  },
})

/** Who may call an open path: everybody, administrators, or the holder of a credential of its own. */
export type Readers =
  | 'everybody'
  | 'administrators'
  | { readonly checkCredential: (request: FastifyRequest) => void }
  /** Everybody, with a credential in the body. */
  | 'guessers'

// Of one path in one process: who guesses must not take the connections to the database from others.
const guessersAtOnce = 4

type Open<P, Q, H, B, A, Deps> = Plain<P, Q, H, B, A> & {
  /** By default everybody. */
  readonly readers?: (deps: Deps) => Readers
  readonly handle: (call: Call<P, Q, H, B>, deps: Deps) => Handled<A>
}

/** A path of the service that needs no token, at least with some configurations. */
export const openEndpoint = <
  Deps,
  const A extends Answers,
  P extends Parameters = Record<never, never>,
  Q extends Parameters = Record<never, never>,
  H extends Parameters = Record<never, never>,
  B = undefined,
>(
  one: Open<P, Q, H, B, A, Deps>,
): Endpoint<Deps> => ({
  mount: (server, deps) => {
    const readers = one.readers?.(deps) ?? 'everybody'
    const read = createReader(one)
    const limit = readers === 'guessers' ? createLimit(guessersAtOnce, waitingSignIns) : undefined
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      if (readers === 'administrators') assertAdministrator(callerOf(request), one)
      const handle = async () => one.handle(read(request, reply), deps)
      return limit ? limit(handle) : handle()
    }
    mountPath(server, one, answer, optionsFor(readers))
  },
  describe: () => [describeOperation(one, { ...one, isPublic: true, errors: [] })],
})

const optionsFor = (readers: Readers) => {
  if (readers === 'administrators') return {}
  if (readers === 'everybody') return openPath
  if (readers === 'guessers')
    return { ...openPath, config: { ...openPath.config, takesCredential: true } }
  const { checkCredential } = readers
  return { ...openPath, config: { ...openPath.config, checkCredential } }
}

type Named = { readonly method: string; readonly path: string }

const assertUnscoped = (caller: Caller, { method, path }: Named): void => {
  if (isScoped(caller))
    throw apiError(
      'caller.forbidden',
      `An API key with a scope may not call ${method.toUpperCase()} ${path}.`,
    )
}

const assertAdministrator = ({ roleKey }: Caller, { method, path }: Named): void => {
  if (roleKey !== administratorRole)
    throw apiError(
      'caller.forbidden',
      `Only the role "${administratorRole}" may call ${method.toUpperCase()} ${path}.`,
    )
}
