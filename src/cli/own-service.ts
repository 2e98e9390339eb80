/** The service as commands use it that do what a request does: started for them, or one that runs already. */
import { openDevelopmentIssuer } from '../auth/tokens/development-issuer.ts'
import type { Pool } from '../database/pool.ts'
import { createObservationHub } from '../observations.ts'
import { createService } from '../runtime/create-service.ts'
import { ensurePeople } from '../runtime/open-database.ts'
import { openRuntime, type Runtime } from '../runtime/open-runtime.ts'
import type { Context } from './command.ts'
import { requireActor } from './development-user.ts'
import { withProject } from './open-project.ts'

type OwnService = {
  readonly url: string
  readonly token: string
  readonly runtime: Runtime
  readonly pool: Pool
}

/** Starts the service on a free local port, for requests with the permissions of a user; it runs no jobs. */
export const withOwnService = (
  context: Context,
  command: string,
  work: (own: OwnService) => Promise<number>,
): Promise<number> => {
  const needs = { command, needs: 'records' } as const
  return withProject(context, needs, async (project, database) => {
    const { config, observe } = context
    // The request has the permissions of a user.
    await ensurePeople(database.pool, project, config, observe)
    const user = await requireActor(database.pool, context)
    // Users who run this command can access the database anyway, so the local issuer is safe.
    const local = { ...config, HOST: '127.0.0.1', AUTH_ISSUER: undefined, BASE_PATH: '' }
    const issuer = await openDevelopmentIssuer(config.PROJECT)
    const token = await issuer.signToken(user.identity_provider_user_id)
    const { connectionString, pool: commands } = database
    const hub = createObservationHub()
    const runtime = openRuntime({ config: local, project, connectionString, hub })
    const service = await createService({ runtime, commands })
    try {
      const url = await service.server.listen({ host: '127.0.0.1', port: 0 })
      return await work({ url, token, runtime, pool: commands })
    } finally {
      await service.stop()
      await runtime.close()
    }
  })
}

/** What an error of the service says, as lines. */
export const problemText = (status: number, body: string): string => {
  try {
    const {
      title,
      detail,
      errors = [],
    } = JSON.parse(body) as {
      title: string
      detail: string
      errors?: { path: string; message: string }[]
    }
    const lines = errors.map(({ path, message }) => `\n  ${path} ${message}`)
    return `${title} ${detail}${lines.join('')}`
  } catch {
    return `The service answered ${status}.`
  }
}
