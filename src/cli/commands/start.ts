/** `docket start`: the whole service, ready to use, with what to try first. */
import type { AddressInfo } from 'node:net'
import { openDevelopmentIssuer } from '../../auth/tokens/development-issuer.ts'
import { takenCredentials } from '../../auth/tokens/taken-credentials.ts'
import { emailTransportOf } from '../../config/email-transport.ts'
import type { Config } from '../../config/load-config.ts'
import { publicUrl } from '../../config/public-url.ts'
import { untilAvailable } from '../../database/connections/until-available.ts'
import type { Project } from '../../definitions/load-project.ts'
import { StartupError } from '../../errors.ts'
import type { JobRunner } from '../../jobs/run-jobs.ts'
import { createObservationHub, type ObservationHub } from '../../observations.ts'
import { type Database, openDatabase, prepareDatabase, timeZoneOf } from '../../open-database.ts'
import { isUnseeded, loadSeeds } from '../../seeding/load-seeds.ts'
import { createService } from '../../service.ts'
import { findUserByEmail } from '../../users/user-store.ts'
import { startWorkerThread } from '../../worker/start-worker-thread.ts'
import {
  type Command,
  type Context,
  exitCodes,
  noMigrateOption,
  type Terminal,
  watchOption,
} from '../command.ts'
import { openProject } from '../open-project.ts'
import { endWith, stopOnSignal } from '../stop-on-signal.ts'
import { commandLine } from '../terminal/own-name.ts'
import { welcome } from '../terminal/welcome.ts'

export const command: Command = {
  usage: '',
  summary: 'Start the service (also: npm start).',
  options: {
    port: { type: 'string', value: 'N', help: 'Port to listen on (PORT; default 3000).' },
    host: { type: 'string', value: 'H', help: 'Address to listen on (HOST; default 127.0.0.1).' },
    watch: watchOption,
    'no-migrate': noMigrateOption,
    'no-jobs': { type: 'boolean', help: 'Leave jobs to other processes (docket worker).' },
  },
  positionals: 0,
  run: async (context) => {
    const { config, options } = context
    const hub = createObservationHub(context.observe)
    const { observe } = hub
    const begun = performance.now()
    if (options['no-jobs'] !== true) emailTransportOf(config)
    const { project, warnings } = await openProject(config)
    for (const { file, path, message } of warnings)
      observe({ kind: 'definitionWarning', file, path, message })
    const database = await openDatabase(config, observe)
    let unfinished = 0
    try {
      const mayMigrate = options['no-migrate'] !== true
      await prepareDatabase(database.pool, project, config, observe, { mayMigrate })
      await seedFirst(project, database, context)
      unfinished = await serve(context, { project, database, hub, begun })
    } finally {
      await endWith(unfinished, database.close)
    }
    observe({ kind: 'serviceStopped' })
    return exitCodes.done
  },
}

type Prepared = {
  readonly project: Project
  readonly database: Database
  readonly hub: ObservationHub
  /** Of performance.now(). */
  readonly begun: number
}

/** Answers until a signal, with how many jobs were left unfinished then. */
const serve = async (
  context: Context,
  { project, database, hub, begun }: Prepared,
): Promise<number> => {
  const { config, options, terminal } = context
  const { observe } = hub
  const service = await createService({ config, project, database, hub })
  let worker: Promise<JobRunner> | undefined
  let isStopping = false
  const stopped = stopOnSignal(context, async () => {
    isStopping = true
    const jobs = worker?.then(({ stop }) => stop())
    const [unfinished] = await Promise.all([jobs, service.stop()])
    return unfinished ?? 0
  })
  const address = await listen(service.server, config).catch(async (error) => {
    // Otherwise its connections would keep the process from ending.
    await service.stop()
    if (!isStopping) throw error
  })
  if (isStopping || address === undefined) return stopped
  // Last, so that a start that fails has begun no job.
  if (options['no-jobs'] === true) terminal.note('Jobs wait for "docket worker".\n')
  else
    worker = startWorkerThread({
      ...{ config, project, connectionString: database.connectionString },
      observe,
      watch: options.watch === true,
    })
  try {
    const entities = project.catalog.entities.size
    const ms = performance.now() - begun
    observe({ kind: 'serviceStarted', address, project: config.PROJECT, entities, ms })
    const [unfinished] = await Promise.all([
      stopped,
      worker,
      untilAvailable(() => welcomeText(address, { project, database }, context)).then(terminal.out),
    ])
    return unfinished
  } catch (error) {
    await Promise.allSettled([worker?.then(({ stop }) => stop()), service.stop()])
    throw error
  }
}

/** A new project's own database gets its example records; a given one is never written unasked. */
const seedFirst = async (project: Project, { pool }: Database, { config, terminal }: Context) => {
  if (config.DATABASE_URL !== undefined || !(await isUnseeded(pool, project))) return
  const { files } = await loadSeeds({ pool, project, timeZone: timeZoneOf(project, config) })
  const rows = files.reduce((sum, file) => sum + file.inserted, 0)
  if (rows > 0) terminal.note(`Loaded ${rows} example records from ${files.length} seed files.\n`)
}

const listen = async (
  server: Awaited<ReturnType<typeof createService>>['server'],
  { HOST, PORT }: Config,
): Promise<string> => {
  try {
    await server.listen({ host: HOST, port: PORT })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new StartupError(
        `Port ${PORT} is taken on ${HOST}; choose another with --port N or PORT.`,
        { cause: error },
      )
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartupError(
        `Docket may not listen on ${HOST}:${PORT} (${code}); choose others with --host and --port.`,
        { cause: error },
      )
    throw error
  }
  const { port } = server.server.address() as AddressInfo
  return `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`
}

const welcomeText = async (
  address: string,
  { project, database }: Pick<Prepared, 'project' | 'database'>,
  { config, terminal }: Context,
) => {
  const { pool } = database
  const base = publicUrl(config) ?? `${address}${config.BASE_PATH}`
  const token = await tokenText(database, config, terminal)
  const takesKeysOnly = takenCredentials(config) === 'keys'
  return welcome({ base, project, token, pool, takesKeysOnly })
}

/** A token, for a person at a terminal; elsewhere it would lie in a log, so the command that makes one. */
const tokenText = async (
  { pool }: Database,
  config: Config,
  { isShown }: Terminal,
): Promise<string | undefined> => {
  if (takenCredentials(config) !== 'development') return undefined
  if (!isShown) return `$(${commandLine('token', config.PROJECT)})`
  const user = await findUserByEmail(pool, config.ADMIN_EMAIL)
  const issuer = await openDevelopmentIssuer(config.PROJECT)
  return user && (await issuer.signToken(user.identity_provider_user_id))
}
