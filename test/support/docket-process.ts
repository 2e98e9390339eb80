/** `docket start` in a process of its own, on a database of its own, with people to ask as. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openDevelopmentIssuer } from '../../src/auth/tokens/development-issuer.ts'
import type { Pool } from '../../src/database/pool.ts'
import { insertUser } from '../../src/users/user-store.ts'
import { endedAfterwards, outcomeOf, waitFor } from './docket.ts'
import { createPreparedDatabase } from './prepared-database.ts'
import { type ProjectFiles, type Reply, writeProject } from './service.ts'
import { within } from './wait.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

type Options = {
  readonly files: ProjectFiles
  /** A word for each person, and the key of their role. */
  readonly people: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  /** A file that the process loads before its own, and that it may be told things by. */
  readonly preload?: URL
}

export type DocketProcess = {
  readonly url: string
  readonly directory: string
  readonly pool: Pool
  readonly child: ChildProcess
  /** What it has printed so far. */
  readonly printed: () => string
  /** The id and a token of a person, by their word. */
  readonly idOf: (person: string) => number
  readonly tokenOf: (person: string) => string
  /** Asks as a person, as nobody, or with a credential of any kind. */
  readonly ask: (
    person: string | null,
    method: string,
    path: string,
    body?: unknown,
    credential?: string,
  ) => Promise<Reply>
  /** Ends it as an operator does; answers with its exit code. */
  readonly stop: () => Promise<number | null>
}

/** The administrator's word, who is there without being named. */
export const administrator = 'admin'

/** Starts it and waits until it is up. */
export const startDocket = async (options: Options): Promise<DocketProcess> => {
  const { files, people, environment = {}, preload } = options
  const { pool, connectionString, drop } = await createPreparedDatabase()
  const directory = await writeProject(files)
  const words = [...(preload ? ['--import', preload.href] : []), main]
  const child = endedAfterwards(
    spawn(process.execPath, [...words, 'start', '--port', '0'], {
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, PROJECT: directory },
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
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
  const ids = await addPeople(pool, people)
  const { signToken } = await openDevelopmentIssuer(directory)
  const tokens = new Map<string, string>()
  for (const [word, { subject }] of ids) tokens.set(word, await signToken(subject))
  const tokenOf = (person: string) => tokens.get(person) ?? ''
  return {
    ...{ url, directory, pool, child, printed: () => printed, tokenOf },
    idOf: (person) => ids.get(person)?.id ?? 0,
    ask: (person, method, path, body, credential) =>
      askAs(
        credential ?? (person === null ? undefined : tokenOf(person)),
        method,
        `${url}${path}`,
        body,
      ),
    stop: async () => {
      child.kill('SIGTERM')
      const { code } = await ended
      await drop()
      return code
    },
  }
}

type Person = { readonly id: number; readonly subject: string }

const addPeople = async (
  pool: Pool,
  people: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, Person>> => {
  const { rows } = await pool.query<Person>(
    'SELECT id, identity_provider_user_id AS subject FROM records."user" ORDER BY id LIMIT 1',
  )
  const found = new Map(rows.map((row) => [administrator, row]))
  for (const [word, role_key] of Object.entries(people)) {
    const names = { first_name: word, last_name: 'Example', full_name: `${word} Example` }
    const email = `${word}@example.com`
    const id = await insertUser(pool, {
      identity_provider_user_id: word,
      ...names,
      email,
      role_key,
    })
    if (id === undefined) throw new Error(`${word} could not be added.`)
    found.set(word, { id, subject: word })
  }
  return found
}

const askAs = async (
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
  const { status, headers } = response
  const text = await response.text()
  return { status, headers, text, json: () => JSON.parse(text) }
}
