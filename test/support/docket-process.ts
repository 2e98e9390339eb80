/** `docket start` in its own process, on its own database, with users to send requests as. */
import { type ChildProcess, spawn } from 'node:child_process'
import { openDevelopmentIssuer } from '../../src/auth/tokens/development-issuer.ts'
import type { Pool } from '../../src/database/pool.ts'
import { insertPerson } from './a-person.ts'
import { endedAfterwards, main, outcomeOf, passedEnvironment, waitFor } from './docket.ts'
import { createPreparedDatabase } from './prepared-database.ts'
import { replyOf } from './reply.ts'
import { type ProjectFiles, type Reply, writeProject } from './service.ts'
import { within } from './wait.ts'

type Options = {
  readonly files: ProjectFiles
  /** The name of each user, and the key of their role. */
  readonly users: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  /** A file that the process loads first. The test exchanges messages with it. */
  readonly preload?: URL
}

export type DocketProcess = {
  readonly url: string
  readonly directory: string
  readonly pool: Pool
  /** The process that was started first. */
  readonly child: ChildProcess
  /** The output so far. */
  readonly printed: () => string
  /** The id and a token of a user, by name. */
  readonly idOf: (user: string) => number
  readonly tokenOf: (user: string) => string
  /** Sends a request as a user, without a token (null), or with any credential. */
  readonly ask: (
    user: string | null,
    method: string,
    path: string,
    body?: unknown,
    credential?: string,
  ) => Promise<Reply>
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>
  /** Starts it at the same address and on the same database after it was killed. */
  readonly startAgain: () => Promise<void>
  /** Stops it with SIGTERM and returns its exit code. */
  readonly stop: () => Promise<number | null>
}

/** The name of the administrator, who exists without being listed. */
export const administrator = 'admin'

/** Starts the process and waits until it is up. */
export const startDocket = async (options: Options): Promise<DocketProcess> => {
  const { pool, connectionString, drop } = await createPreparedDatabase()
  const directory = await writeProject(options.files)
  let running = await launch(options, { directory, connectionString, port: '0' })
  const { url } = running
  const ids = await addUsers(pool, options.users)
  const { signToken } = await openDevelopmentIssuer(directory)
  const tokens = new Map<string, string>()
  for (const [name, { subject }] of ids) tokens.set(name, await signToken(subject))
  const tokenOf = (user: string) => tokens.get(user) ?? ''
  return {
    url,
    directory,
    pool,
    tokenOf,
    child: running.child,
    printed: () => running.printed(),
    idOf: (user) => ids.get(user)?.id ?? 0,
    ask: (user, method, path, body, credential) =>
      askAs(
        credential ?? (user === null ? undefined : tokenOf(user)),
        method,
        `${url}${path}`,
        body,
      ),
    kill: async () => {
      running.child.kill('SIGKILL')
      await running.ended
    },
    startAgain: async () => {
      const { port } = new URL(url)
      running = await launch(options, { directory, connectionString, port })
    },
    stop: async () => {
      running.child.kill('SIGTERM')
      const { code } = await running.ended
      await drop()
      return code
    },
  }
}

type Place = {
  readonly directory: string
  readonly connectionString: string
  readonly port: string
}

const launch = async ({ environment = {}, preload }: Options, place: Place) => {
  const { directory, connectionString, port } = place
  const args = [...(preload ? ['--import', preload.href] : []), main]
  const child = endedAfterwards(
    spawn(process.execPath, [...args, 'start', '--port', port], {
      env: {
        ...passedEnvironment(),
        PROJECT: directory,
        DATABASE_URL: connectionString,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', ...(preload ? ['ipc' as const] : [])],
    }),
  )
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      printed += chunk
    })
  const ended = outcomeOf(child)
  const [, url = ''] = /is up at (\S+)/.exec(await waitFor(child, /is up at \S+\s/)) ?? []
  return { child, ended, url, printed: () => printed }
}

type TestUser = { readonly id: number; readonly subject: string }

const addUsers = async (
  pool: Pool,
  users: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, TestUser>> => {
  const { rows } = await pool.query<TestUser>(
    'SELECT id, identity_provider_user_id AS subject FROM records."user" ORDER BY id LIMIT 1',
  )
  const found = new Map(rows.map((row) => [administrator, row]))
  for (const [name, role_key] of Object.entries(users)) {
    found.set(name, { id: await insertPerson(pool, name, role_key), subject: name })
  }
  return found
}

/** Sends a request with a token, or without one. */
export const askAs = async (
  token: string | undefined,
  method: string,
  url: string,
  body: unknown,
): Promise<Reply> => {
  const response = await within(
    `${method} ${url.slice(0, 200)} is answered`,
    fetch(url, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  )
  return replyOf(response, await response.text())
}
