/** The service as commands use it that do what a request does: started for them, or one that runs already. */
import { openDevelopmentIssuer } from '../auth/tokens/development-issuer.ts'
import type { Pool } from '../database/pool.ts'
import { errorText, StartupError } from '../errors.ts'
import { createObservationHub } from '../observations.ts'
import { createService } from '../runtime/create-service.ts'
import { ensurePeople } from '../runtime/open-database.ts'
import { openRuntime, type Runtime } from '../runtime/open-runtime.ts'
import type { Command, Context } from './command.ts'
import { requireActor } from './development-user.ts'
import { withProject } from './open-project.ts'

/** Options of commands that ask a service. */
export const serviceOptions = {
  url: { type: 'string', value: 'URL', help: 'A running service; needs TOKEN in the environment.' },
  user: {
    type: 'string',
    value: 'E-MAIL',
    help: 'Whose permissions apply (default: the administrator).',
  },
} satisfies Command['options']

export type AskedService = {
  readonly url: string
  readonly token: string
  /** Of a service that was started for the command; it runs no jobs. */
  readonly own?: { readonly runtime: Runtime; readonly pool: Pool }
}

type Work = (service: AskedService) => Promise<number>

/** Asks the service that runs at --url, or one that is started for the requests of --user. */
export const withService = (context: Context, command: string, work: Work): Promise<number> => {
  const { options, environment } = context
  const { url } = options
  if (typeof url !== 'string') return withOwnService(context, command, work)
  if (!URL.canParse(url)) throw new StartupError(`--url is not a URL: ${url}`)
  return work({ url: url.replace(/\/$/, ''), token: environment.TOKEN ?? '' })
}

/** The error of a request that no service has answered. */
export const unreachable = (url: string, error: unknown): StartupError =>
  new StartupError(`The service at ${url} cannot be reached: ${errorText(error)}`, { cause: error })

/** Starts the service on a free local port, for requests with the permissions of a user. */
const withOwnService = (context: Context, command: string, work: Work): Promise<number> => {
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
      return await work({ url, token, own: { runtime, pool: commands } })
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
    // The detail is the only one.
    const several = errors.length > 1 ? errors : []
    const lines = several.map(({ path, message }) => `\n  ${path} ${message}`)
    return `${title} ${detail}${lines.join('')}`
  } catch {
    return `The service answered ${status}.`
  }
}
