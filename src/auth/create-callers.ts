/** Builds what tells who asks: tokens of an issuer and API keys, remembered as long as they hold. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/load-config.ts'
import type { Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import type { Observe } from '../observations.ts'
import { createAuthenticate } from './authenticate.ts'
import type { Caller } from './caller.ts'
import { createCallerCache } from './caller-cache.ts'
import { assertLoopback, openDevelopmentIssuer } from './development-issuer.ts'
import { createRemoteKeySource } from './remote-key-source.ts'
import { createVerifyToken } from './verify-token.ts'
import { watchCallers } from './watch-callers.ts'

type Options = {
  readonly config: Config
  readonly catalog: Catalog
  readonly pool: Pool
  readonly connectionString: string
  readonly observe: Observe
}

export type Callers = {
  /** Who sends a request; a fault 401 for nobody. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  /** Tell it of every write, before the answer. */
  readonly onWritten: (entity: { readonly key: string }) => void
  readonly close: () => Promise<void>
}

/** Who may come in: tokens of the issuer or the development issuer, and API keys. */
export const createCallers = async ({
  config,
  catalog,
  pool,
  connectionString,
  observe,
}: Options): Promise<Callers> => {
  const callers = createCallerCache()
  const issuer = await openIssuer(config)
  const verify = createAuthenticate({
    pool,
    catalog,
    callers,
    verifyToken: createVerifyToken(issuer),
    provisionRole: config.AUTH_PROVISION_ROLE,
    observe,
  })
  // Last, because what can refuse to start comes before what must be closed again.
  const watch = await watchCallers({ connectionString, callers, observe })
  const ofCallers = new Set(['user', 'security_role'])
  return {
    authenticate: async (request: FastifyRequest) => {
      const caller = await verify(request.headers.authorization)
      request.userId = caller.userId
      return caller
    },
    onWritten: (entity: { key: string }) => {
      // Other processes hear of it from the database; this one must not answer before it forgot.
      if (ofCallers.has(entity.key)) callers.forget()
    },
    close: () => watch.close(),
  }
}

const openIssuer = async (config: Config) => {
  if (config.AUTH_ISSUER !== undefined && config.AUTH_AUDIENCE !== undefined)
    return {
      keys: createRemoteKeySource({ issuer: config.AUTH_ISSUER }),
      audience: config.AUTH_AUDIENCE,
    }
  assertLoopback(config.HOST)
  return openDevelopmentIssuer(config.PROJECT)
}
