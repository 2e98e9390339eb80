/** An authenticator as a process of the service has it, on the database of a test project. */
import {
  type CallerCache,
  createCallerCache,
  watchCallers,
} from '../../../src/auth/callers/caller-cache.ts'
import { installCallerTriggers } from '../../../src/auth/callers/caller-change-store.ts'
import { type Authenticate, createAuthenticate } from '../../../src/auth/callers/find-callers.ts'
import { createRemoteKeySource } from '../../../src/auth/tokens/remote-key-source.ts'
import { createVerifyToken } from '../../../src/auth/tokens/verify-token.ts'
import { createListener } from '../../../src/database/listener.ts'
import type { Pool } from '../../../src/database/pool.ts'
import { afterwards, shareOnce } from '../../support/afterwards.ts'
import { audience, type TestIssuer } from '../../support/auth/an-issuer.ts'
import { createTestProject, type TestProject } from '../users/a-project.ts'

export type Authenticator = {
  readonly authenticate: Authenticate
  readonly callers: CallerCache
  /** The statements that it has run. */
  readonly statements: readonly string[]
  /** The number of notified changes of users, roles or keys. */
  readonly changeCount: () => number
  readonly close: () => Promise<void>
}

/** The project of all files of a process that have users of their own. */
export const shareTestProject = shareOnce(createTestProject)

/** Opens one with a cache of callers. */
export const openAuthenticator = async (
  project: TestProject,
  issuer: TestIssuer,
  provisionRole: string | undefined = undefined,
): Promise<Authenticator> => {
  await installCallerTriggers(project.pool)
  const callers = createCallerCache()
  const { pool, statements } = recording(project.pool)
  const verifyToken = createVerifyToken({
    keys: createRemoteKeySource({ issuer: issuer.url }),
    audience,
  })
  const authenticate = createAuthenticate({ ...project, pool, callers, verifyToken, provisionRole })
  let changeCount = 0
  const forget = () => {
    changeCount++
    callers.forget()
  }
  const listener = createListener({ ...project, applicationName: 'docket listener' })
  watchCallers({ ...project, listener, callers: { ...callers, forget } })
  await listener.start()
  const close = afterwards(listener.close)
  return { authenticate, callers, statements, changeCount: () => changeCount, close }
}

const recording = (pool: Pool): { pool: Pool; statements: string[] } => {
  const statements: string[] = []
  const recorded = new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target)
      return (statement: { text: string }) => {
        statements.push(statement.text)
        return target.query(statement)
      }
    },
  })
  return { pool: recorded, statements }
}
