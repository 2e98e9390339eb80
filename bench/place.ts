/**
 * The place of a benchmark: a temporary project, a PostgreSQL of its own with filled tables, and the
 * service as a separate process, as a person starts it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/database/embedded/embedded.ts'
import { withClient } from './database.ts'
import { endOnSignal } from './end-on-signal.ts'
import { fillStatements, writeInvoiceProject } from './invoice-project.ts'
import { type Program, prepareDocket, startDocket } from './start-program.ts'

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

/** Tells what is being waited for. */
export type Note = (text: string) => void

/** Sets everything up. Whatever fails or interrupts, nothing stays behind. */
export const openPlace = async (rows: number, note: Note): Promise<Place> => {
  const project = await mkdtemp(join(tmpdir(), 'docket-bench-'))
  const directory = join(project, '.docket')
  const opening = startEmbedded({ directory, observe: () => undefined })
  let starting: Promise<Program> | undefined
  let closing: Promise<void> | undefined
  const endService = async () => {
    const service = await starting?.catch(() => undefined)
    await service?.stop()
  }
  const closeAll = async () => {
    await endService()
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
    const env = { PROJECT: project, DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' }
    await writeInvoiceProject(project)
    const token = await prepareDocket(env)
    note(`Filling ${rows.toLocaleString('en')} rows …\n`)
    const version = await fill(databaseUrl, rows)
    starting = startDocket(['start'], env)
    const { url, pid } = await starting
    const versions = `PostgreSQL ${version}, Node ${process.version}`
    return { project, databaseUrl, url, pid, token, versions, endService, close }
  } catch (error) {
    await close()
    throw error
  }
}

const fill = (connectionString: string, rows: number): Promise<string> =>
  withClient(connectionString, async (client) => {
    for (const statement of fillStatements(rows)) await client.query(statement)
    const found = await client.query<{ server_version: string }>('SHOW server_version')
    return found.rows[0]?.server_version ?? ''
  })
