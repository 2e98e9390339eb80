/** The project of orders and bulletins with a database of its own, beside that of the invoices. */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emailSettings } from '../../src/config/email-settings.ts'
import { withClient } from '../database.ts'
import type { Place } from '../place.ts'
import { type Program, prepareDocket, startDocket } from '../start-program.ts'
import { fillMailPlace } from './fill.ts'

export type MailPlace = {
  readonly project: string
  readonly databaseUrl: string
  /** Where its service answers, which runs no jobs. */
  readonly url: string
  readonly pid: number
  readonly token: string
  /** How many people are told of an event. */
  readonly recipients: number
  /** Starts what runs its jobs and sends its e-mails to an SMTP server on this port. */
  readonly startWorker: (smtpPort: number) => Promise<Program>
  readonly stop: () => Promise<void>
}

/** Connections to the SMTP server: as many as a process opens unless it is told otherwise. */
export const emailsAtOnce = Number(emailSettings.EMAILS_AT_ONCE.fallback)

const definitions = fileURLToPath(new URL('./project', import.meta.url))

/** Sets it up on the PostgreSQL of a place. */
export const openMailPlace = async (place: Place, recipients: number): Promise<MailPlace> => {
  const project = join(place.project, 'mail')
  await cp(definitions, project, { recursive: true })
  const databaseUrl = await createDatabase(place.databaseUrl, 'mail')
  const env = { PROJECT: project, DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' }
  const token = await prepareDocket(env)
  await fillMailPlace(databaseUrl, recipients)
  const { url, pid, stop } = await startDocket(['start', '--no-jobs'], env)
  return {
    project,
    databaseUrl,
    url,
    pid,
    token,
    recipients,
    startWorker: (smtpPort) =>
      startDocket(['worker'], {
        ...env,
        // It tells of every call of a function, and of no e-mail that was sent.
        LOG_LEVEL: 'info',
        EMAIL_PROVIDER: 'smtp',
        EMAIL_FROM: 'bench@example.com',
        EMAILS_AT_ONCE: `${emailsAtOnce}`,
        SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
      }),
    stop,
  }
}

const createDatabase = async (beside: string, name: string): Promise<string> => {
  await withClient(beside, (client) => client.query(`CREATE DATABASE ${name}`))
  const url = new URL(beside)
  url.pathname = `/${name}`
  return url.href
}
