/** `docket start`: runs the whole service and prints a startup summary. */
import type { AddressInfo } from 'node:net'
import { createLoginCode, loginLink } from '../../auth/sessions/sign-in.ts'
import { acceptedCredentials, offeredSignInWays } from '../../auth/sign-in-ways.ts'
import { openDevelopmentIssuer } from '../../auth/tokens/development-issuer.ts'
import { openBlobStore } from '../../blobs/open-blob-store.ts'
import { emailTransportOf } from '../../config/email-transport.ts'
import { type Config, publicUrl } from '../../config/load-config.ts'
import { untilAvailable } from '../../database/connections/wait-for-database.ts'
import type { Project } from '../../definitions/load-project.ts'
import { StartupError } from '../../errors.ts'
import type { JobRunner } from '../../jobs/run-jobs.ts'
import { createObservationHub } from '../../observations.ts'
import { createService } from '../../runtime/create-service.ts'
import {
  type Database,
  openDatabase,
  prepareDatabase,
  timeZoneOf,
} from '../../runtime/open-database.ts'
import { openRuntime, type Runtime } from '../../runtime/open-runtime.ts'
import { startWorkerThread } from '../../runtime/start-worker-thread.ts'
import { isUnseeded, loadSeeds } from '../../seeding/load-seeds.ts'
import { startTracing } from '../../telemetry/start-tracing.ts'
import { findUserByEmail } from '../../users/user-store.ts'
import {
  type Command,
  type Context,
  exitCodes,
  noMigrateOption,
  type Terminal,
  watchOption,
} from '../command.ts'
import { firstInvitation } from '../first-invitation.ts'
import { openProject } from '../open-project.ts'
import { commandLine } from '../output.ts'
import { noteService } from '../running-service.ts'
import { startupSummary } from '../startup-summary.ts'
import { endWith, stopOnSignal } from '../stop-on-signal.ts'

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
    const begun = performance.now()
    const hub = createObservationHub(context.observe)
    const { observe } = hub
    if (runsJobs(context)) emailTransportOf(config)
    const { project, warnings } = await openProject(config)
    for (const { file, path, message } of warnings)
      observe({ kind: 'definitionWarning', file, path, message })
    const stopTracing = await startTracing(config, observe)
    const database = await openDatabase(config, observe)
    let unfinished = 0
    try {
      const mayMigrate = options['no-migrate'] !== true
      await prepareDatabase(database.pool, project, config, observe, { mayMigrate })
      await seedFirst(project, database, context)
      const { connectionString } = database
      const runtime = openRuntime({ config, project, connectionString, hub })
      unfinished = await serve(context, { runtime, database, begun })
    } finally {
      await stopTracing()
      await endWith(unfinished, database.close)
    }
    observe({ kind: 'serviceStopped' })
    return exitCodes.done
  },
}

const runsJobs = ({ options }: Context): boolean => options['no-jobs'] !== true

type Prepared = {
  readonly runtime: Runtime
  readonly database: Database
  /** Of performance.now(). */
  readonly begun: number
}

/** Answers requests and runs jobs until a signal; returns how many jobs were unfinished then. */
const serve = async (context: Context, prepared: Prepared): Promise<number> => {
  const { config, options, terminal } = context
  const { runtime, database, begun } = prepared
  const service = await createService({ runtime, commands: database.pool })
  service.startThreads()
  let worker: Promise<JobRunner> | undefined
  let isStopping = false
  let forget = async () => {}
  const stop = async () => {
    isStopping = true
    const forgotten = forget()
    const jobs = worker?.then(
      (one) => one.stop(),
      () => 0,
    )
    // At once, because balancers must learn of it before anything else is waited for.
    const [unfinished = 0] = await Promise.all([jobs, service.stop(), forgotten])
    await runtime.close()
    return unfinished
  }
  const stopped = stopOnSignal(context, stop)
  try {
    const address = await listen(service.server, config)
    if (isStopping) return await stopped
    forget = await noteAddress(config, address)
    // After everything that can fail at a start: then no job has begun.
    if (runsJobs(context)) worker = startWorkerThread(runtime, { watch: options.watch === true })
    else terminal.note('Jobs wait for "docket worker".\n')
    const entities = runtime.project.catalog.entities.size
    const ms = performance.now() - begun
    runtime.observe({ kind: 'serviceStarted', address, project: config.PROJECT, entities, ms })
    const summary = untilAvailable(() => summaryOf(address, prepared, context))
    const [unfinished] = await Promise.all([stopped, worker, summary.then(terminal.out)])
    return unfinished
  } catch (error) {
    // Errors caused by the stop are not reported.
    if (isStopping) return stopped
    await stop()
    throw error
  }
}

/** For `docket login`, which only the development issuer has. */
const noteAddress = (config: Config, address: string): Promise<() => Promise<void>> =>
  acceptedCredentials(config) === 'development'
    ? noteService(config.PROJECT, publicUrl(config) ?? `${address}${config.BASE_PATH}`)
    : Promise.resolve(async () => {})

/** Loads seeds into a new embedded database; never into a given one. */
const seedFirst = async (project: Project, { pool }: Database, { config, terminal }: Context) => {
  if (config.DATABASE_URL !== undefined || !(await isUnseeded(pool, project))) return
  const { files } = await loadSeeds({
    pool,
    project,
    timeZone: timeZoneOf(project, config),
    blobs: openBlobStore(config),
    maxBytes: config.FILES_MAX_BYTES,
  })
  const rows = files.reduce((sum, file) => sum + file.inserted, 0)
  if (rows > 0) terminal.note(`Loaded ${rows} records from ${files.length} seed files.\n`)
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
        `Port ${PORT} is in use on ${HOST}; choose another with --port N or PORT.`,
        { cause: error },
      )
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartupError(
        `Docket cannot listen on ${HOST}:${PORT} (${code}); choose others with --host and --port.`,
        { cause: error },
      )
    throw error
  }
  const { port } = server.server.address() as AddressInfo
  return `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`
}

const summaryOf = async (
  address: string,
  { runtime: { project }, database }: Prepared,
  { config, terminal }: Context,
) => {
  const { pool } = database
  const base = publicUrl(config) ?? `${address}${config.BASE_PATH}`
  const token = await tokenText(database, config, terminal)
  const page = await consoleText({ database, base, config, terminal })
  const takesKeysOnly = acceptedCredentials(config) === 'keys'
  const ways = offeredSignInWays(config, project.settings)
  const people = takesKeysOnly
    ? {
        ways,
        invitation: await firstInvitation({ pool, config, ways, base, isShown: terminal.isShown }),
      }
    : undefined
  return startupSummary({ base, page, project, token, pool, people })
}

/** A token on a terminal; elsewhere, where it could end up in a log, the command that prints one. */
const tokenText = async (
  { pool }: Database,
  config: Config,
  { isShown }: Terminal,
): Promise<string | undefined> => {
  if (acceptedCredentials(config) !== 'development') return undefined
  if (!isShown) return `$(${commandLine('token', config.PROJECT)})`
  const user = await findUserByEmail(pool, config.ADMIN_EMAIL)
  const issuer = await openDevelopmentIssuer(config.PROJECT)
  return user && (await issuer.signToken(user.identity_provider_user_id))
}

type ConsoleOptions = Pick<Prepared, 'database'> &
  Pick<Context, 'config' | 'terminal'> & { readonly base: string }

/** The address of the console; with the development issuer a link that signs in, or how to get one. */
const consoleText = async ({ database, base, config, terminal }: ConsoleOptions) => {
  const address = `${base}/console/`
  if (acceptedCredentials(config) !== 'development') return address
  if (!terminal.isShown)
    return `${address} (a link to sign in: ${commandLine('login', config.PROJECT)})`
  const user = await findUserByEmail(database.pool, config.ADMIN_EMAIL)
  return user ? loginLink(base, await createLoginCode(database.pool, user.id)) : address
}
