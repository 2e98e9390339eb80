/** A PgBouncer in transaction mode in front of a server of the tests, where it is installed (Debian: `pgbouncer`). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterwards } from './afterwards.ts'
import { findProgram } from './find-program.ts'
import { freePorts } from './free-ports.ts'
import { startTransactionPooler } from './transaction-pooler.ts'
import { until, within } from './wait.ts'

export type PgBouncer = {
  /** The address of a database of its server, through it. */
  readonly addressOf: (connectionString: string) => string
  readonly stop: () => Promise<void>
}

/** Its program; undefined where it is not installed. */
export const findPgBouncer = (): string | undefined => findProgram('pgbouncer')

/** Few sessions, so that clients share them. Ones that nobody uses are closed, because tests drop databases. */
const settingsOf = (server: URL, port: number, sessions: number): string => {
  const host = server.searchParams.get('host') ?? server.hostname
  const user = decodeURIComponent(server.username)
  const password = server.password === '' ? '' : ` password=${decodeURIComponent(server.password)}`
  return `[databases]
* = host=${host} port=${server.port || 5432} user=${user}${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_round_robin = 1
default_pool_size = ${sessions}
max_client_conn = 5000
server_idle_timeout = 5
autodb_idle_timeout = 10
`
}

/** Starts it in front of the server of an address. */
export const startPgBouncer = async (
  program: string,
  connectionString: string,
  sessions = 4,
): Promise<PgBouncer> => {
  const server = new URL(connectionString)
  const [port = 0] = await freePorts(1)
  const directory = await mkdtemp(join(tmpdir(), 'docket-pgbouncer-'))
  const file = join(directory, 'pgbouncer.ini')
  await writeFile(file, settingsOf(server, port, sessions), { mode: 0o600 })
  const ids = await userOf(server)
  if (ids) for (const path of [directory, file]) await chown(path, ids.uid, ids.gid)
  const child = spawn(program, [file], { ...ids, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log = `${log}${text}`.slice(-4_000)
  })
  const ended = once(child, 'exit')
  const addressOf = (of: string) => {
    const url = new URL(of)
    url.search = ''
    url.host = `127.0.0.1:${port}`
    return url.href
  }
  let isStopping = false
  void ended.then(() => {
    if (!isStopping) console.error(`PgBouncer ended by itself: ${log}`)
  })
  const stop = async () => {
    isStopping = true
    child.kill('SIGTERM')
    await within('PgBouncer ends', ended)
    await rm(directory, { recursive: true, force: true })
  }
  await until('PgBouncer answers', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${log}`)
    return answers(addressOf(connectionString))
  })
  return { addressOf, stop }
}

export type Pooler = { readonly connectionString: string; readonly stop: () => Promise<void> }

/** A pooler in transaction mode with few sessions: PgBouncer where it is installed, else the small one of the tests. */
export const startPooler = async (url: string): Promise<Pooler> => {
  const program = findPgBouncer()
  if (program === undefined) {
    const { connectionString, close } = await startTransactionPooler(url)
    return { connectionString, stop: afterwards(close) }
  }
  const { addressOf, stop } = await startPgBouncer(program, url, 2)
  return { connectionString: addressOf(url), stop: afterwards(stop) }
}

/** It refuses to run as root; the owner of the socket can open it. */
const userOf = async (server: URL): Promise<{ uid: number; gid: number } | undefined> => {
  if (process.getuid?.() !== 0) return undefined
  const folder = server.searchParams.get('host')
  const { uid, gid } = folder === null ? { uid: 0, gid: 0 } : await stat(folder)
  return uid === 0 ? { uid: 65534, gid: 65534 } : { uid, gid }
}

const answers = async (connectionString: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
