/**
 * The place of a benchmark: a temporary project, a PostgreSQL of its own with filled tables, and the
 * service as a separate process, as a person starts it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbedded } from '../src/database/embedded.ts'
import { endOnSignal } from './end-on-signal.ts'
import { fillStatements, writeInvoiceProject } from './invoice-project.ts'
import { runProgram } from './run-program.ts'

export type Place = {
  readonly project: string
  readonly databaseUrl: string
  /** Where the service answers, such as `http://127.0.0.1:40123`. */
  readonly url: string
  readonly pid: number
  readonly token: string
  /** `PostgreSQL 18.4, Node v26.1.0`. */
  readonly versions: string
  /** Ends the service, for those who start others on the same database. */
  readonly endService: () => Promise<void>
  readonly close: () => Promise<void>
}

// One caller of one machine asks more in a minute than any client does.
export const withoutLimits = {
  REQUESTS_PER_CALLER: '0',
  REQUESTS_PER_ADDRESS: '0',
  CONNECTIONS_PER_ADDRESS: '0',
  CONNECTIONS_AT_ONCE: '0',
}

const entryPoint = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))

/**
 * Sets everything up; `note` tells what is being waited for. Whatever fails or interrupts, nothing
 * stays behind.
 */
export const openPlace = async (rows: number, note: (text: string) => void): Promise<Place> => {
  const project = await mkdtemp(join(tmpdir(), 'docket-bench-'))
  const directory = join(project, '.docket')
  const opening = startEmbedded({ directory, observe: () => undefined })
  let service: ChildProcess | undefined
  let closing: Promise<void> | undefined
  const closeAll = async () => {
    await endOf(service)
    const database = await opening.catch(() => undefined)
    await database?.stop()
    await rm(project, { recursive: true, force: true, maxRetries: 10 })
    forget()
  }
  const close = () => {
    closing ??= closeAll()
    return closing
  }
  const forget = endOnSignal(close)
  try {
    const databaseUrl = (await opening).connectionString
    const env = {
      PROJECT: project,
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'warn',
      ...withoutLimits,
    }
    await writeInvoiceProject(project)
    await runProgram(process.execPath, [entryPoint, 'migrate'], { env })
    const { output } = await runProgram(process.execPath, [entryPoint, 'token'], { env })
    note(`Filling ${rows.toLocaleString('en')} rows …\n`)
    const version = await fill(databaseUrl, rows)
    const port = await freePort()
    service = startService(port, env)
    const url = `http://127.0.0.1:${port}`
    await untilReady(url, service)
    return {
      project,
      databaseUrl,
      url,
      pid: service.pid ?? 0,
      token: output.trim(),
      versions: `PostgreSQL ${version}, Node ${process.version}`,
      endService: () => endOf(service),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const endOf = async (service: ChildProcess | undefined): Promise<void> => {
  if (!service || hasEnded(service)) return
  service.kill('SIGTERM')
  await once(service, 'exit')
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

const fill = async (connectionString: string, rows: number): Promise<string> => {
  const client = new pg.Client({ connectionString })
  // A server that ends tells the statement that runs; without a listener it would end the process too.
  client.on('error', () => undefined)
  await client.connect()
  try {
    for (const statement of fillStatements(rows)) await client.query(statement)
    const found = await client.query<{ server_version: string }>('SHOW server_version')
    return found.rows[0]?.server_version ?? ''
  } finally {
    await client.end()
  }
}

const startService = (port: number, env: Readonly<Record<string, string>>): ChildProcess => {
  // Such as `--cpu-prof`: flags of the service alone.
  const flags = process.env.BENCH_SERVICE_FLAGS?.split(' ').filter(Boolean) ?? []
  return spawn(process.execPath, [...flags, entryPoint, 'start', '--port', `${port}`], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** A port that nobody listens on now. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

const untilReady = async (url: string, service: ChildProcess): Promise<void> => {
  const deadline = performance.now() + 30_000
  while (!hasEnded(service) && performance.now() < deadline) {
    const answer = await fetch(`${url}/api/health/ready`).catch(() => undefined)
    if (answer?.ok) return
    await delay(50)
  }
  throw new Error('The service did not become ready.')
}
