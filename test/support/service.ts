/** A whole service on its own database, listening on a free port. Tests call it by HTTP. */
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDevelopmentIssuer } from '../../src/auth/tokens/development-issuer.ts'
import { type Config, loadConfig } from '../../src/config/load-config.ts'
import { loadProject, type Project } from '../../src/definitions/load-project.ts'
import { printFinding } from '../../src/definitions/source-file.ts'
import { createObservationHub, type Observation } from '../../src/observations.ts'
import { createService } from '../../src/runtime/create-service.ts'
import { prepareDatabase } from '../../src/runtime/open-database.ts'
import { openRuntime, type Runtime } from '../../src/runtime/open-runtime.ts'
import { afterwards, shareOnce } from './afterwards.ts'
import type { TestDatabase } from './database.ts'
import { collectObservations, type Observed } from './observed.ts'
import { createSyncedDatabase } from './prepared-database.ts'
import { send } from './send.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Files of a project by their path, such as `entities/order.json`. */
export type ProjectFiles = Readonly<Record<string, unknown>>

export type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON. Throws when it is not JSON, or when the reply has another status than the given one. */
  readonly json: (status?: number) => ReturnType<typeof JSON.parse>
}

export type TestService = {
  readonly url: string
  readonly runtime: Runtime
  readonly project: Project
  readonly config: Config
  readonly database: TestDatabase
  readonly observations: readonly Observation[]
  readonly expectFault: Observed['expectFault']
  /** A token of a user, by e-mail address; by default of the administrator. */
  readonly tokenOf: (email?: string) => Promise<string>
  /** Sends a request as a user (by default the administrator; null: without a token). */
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<Reply>
  readonly stop: () => Promise<void>
}

export type AskOptions = {
  readonly as?: string | null | undefined
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Writes a project to a temporary folder. A string is written unchanged, any other value as JSON. */
export const writeProject = async (files: ProjectFiles): Promise<string> => {
  const directory = temporaryFolder()
  for (const [path, value] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true })
    await writeFile(
      join(directory, path),
      typeof value === 'string' ? value : JSON.stringify(value),
    )
  }
  return directory
}

/** A copy of the example project, without its runtime data. */
export const copyExample = async (): Promise<string> => {
  const directory = temporaryFolder()
  const source = new URL('../../example', import.meta.url).pathname
  await cp(source, directory, { recursive: true, filter: (path) => !path.includes('.docket') })
  return directory
}

/** `npm run test:long -- pooler` sends everything that may be pooled through a PgBouncer. */
const addressesOf = ({ connectionString }: TestDatabase): Record<string, string> => {
  const { TEST_POOLER_URL, TEST_POOLER_SERVER = '' } = process.env
  const direct = new URL(connectionString)
  const server = new URL(TEST_POOLER_SERVER || connectionString)
  // Some tests have a server of their own.
  const isOther = direct.host !== server.host || direct.search !== server.search
  if (TEST_POOLER_URL === undefined || isOther) return { DATABASE_URL: connectionString }
  const url = new URL(TEST_POOLER_URL)
  url.pathname = direct.pathname
  return { DATABASE_URL: url.href, DATABASE_DIRECT_URL: connectionString }
}

/**
 * Starts one service for all files of a process: for a file that asks for it at its top or in `before`, and has own users and
 * records in it. It ends with the process.
 */
export const shareService = <S extends TestService>(start: () => Promise<S>): (() => Promise<S>) =>
  shareOnce(async () => ({ ...(await start()), stop: refuseStop }))

const refuseStop = async (): Promise<void> => {
  throw new Error('A test stops a service that other files use.')
}

/** Starts a service for the project of these files or in a folder, which is removed at the end. */
export const startTestService = async (
  from: string | ProjectFiles,
  environment: Readonly<Record<string, string>> = {},
  given?: TestDatabase,
): Promise<TestService> => {
  const directory = typeof from === 'string' ? from : await writeProject(from)
  const { project, findings } = await loadProject(directory)
  if (!project) throw new Error(findings.map(printFinding).join('\n'))
  const settings = {
    PROJECT: directory,
    PORT: '0',
    SHUTDOWN_GRACE_SECONDS: '5',
    // A busy machine is slow, which tests do not judge.
    REQUEST_TIMEOUT_SECONDS: '120',
    ...environment,
  }
  const database = given ?? (await createSyncedDatabase(project, loadConfig(settings)))
  const config = loadConfig({ ...addressesOf(database), ...settings })
  const { observations, observe, expectFault, assertNoFault } = collectObservations()
  await prepareDatabase(database.pool, project, config, observe)
  const { connectionString, pool } = database
  const hub = createObservationHub(observe)
  const runtime = openRuntime({ config, project, connectionString, hub })
  const service = await createService({ runtime, commands: pool })
  const url = await service.server.listen({ host: '127.0.0.1', port: 0 })
  const issuer = await openDevelopmentIssuer(directory)
  const subjectOf = async (email = config.ADMIN_EMAIL) => {
    const { rows } = await database.pool.query<{ subject: string }>(
      'SELECT identity_provider_user_id AS subject FROM records."user" WHERE email = $1',
      [email],
    )
    return rows[0]?.subject ?? email
  }
  // Clients reuse their token too.
  const kept = new Map<string, Promise<string>>()
  const tokenFor = (subject: string) => {
    const token = kept.get(subject) ?? issuer.signToken(subject)
    kept.set(subject, token)
    return token
  }
  // By e-mail address, which is looked up again only if the service refuses the subject: tests send many requests.
  const subjects = new Map<string | undefined, string>()
  const ask: TestService['ask'] = async (method, path, options = {}) => {
    const { as, body, headers = {} } = options
    const subject = as === null ? undefined : (subjects.get(as) ?? (await subjectOf(as)))
    const reply = await send(method, `${url}${config.BASE_PATH}${path}`, {
      headers: {
        ...(subject !== undefined && { Authorization: `Bearer ${await tokenFor(subject)}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    if (as === null || subject === undefined) return reply
    const isKnown = reply.status !== 401
    if (isKnown) subjects.set(as, subject)
    else if (subjects.delete(as) && (await subjectOf(as)) !== subject)
      return ask(method, path, options)
    return reply
  }
  return {
    url,
    runtime,
    project,
    config,
    database,
    observations,
    expectFault,
    tokenOf: async (email) => issuer.signToken(await subjectOf(email)),
    ask,
    stop: afterwards(async () => {
      await service.stop()
      await runtime.close()
      await database.drop()
      assertNoFault()
    }),
  }
}
