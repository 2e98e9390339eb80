/** Shared parts of the e-mail benchmarks. */
import { emailSettings } from '../../src/config/email-settings.ts'
import type { Environment, Service } from '../environment.ts'
import type { Program } from '../programs.ts'

export type Measured = Pick<Environment, 'project' | 'databaseUrl' | 'pool'> & {
  /** Runs no jobs. */
  readonly service: Service
  /** How many users an event notifies. */
  readonly recipients: number
  /** Starts the process that runs the jobs and sends the e-mails to an SMTP server on this port. */
  readonly startWorker: (smtpPort: number) => Promise<Program>
}

/** Connections to the SMTP server: the default of a process. */
export const emailsAtOnce = Number(emailSettings.EMAILS_AT_ONCE.fallback)
