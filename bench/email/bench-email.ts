/** E-mails and their documents: rate, memory, PDFs and functions, each compared with what it builds on. */
import type { Environment } from '../environment.ts'
import { note, type Table } from '../report.ts'
import { measureDocuments } from './documents.ts'
import { fillOrders } from './fill.ts'
import { measureFunctions } from './functions.ts'
import { emailsAtOnce, type Measured } from './measured.ts'
import { compareSending } from './sending.ts'
import { measureShared } from './shared-documents.ts'

/** Every measurement, each on one event with so many recipients. */
export const benchEmail = async (environment: Environment, rows: number): Promise<Table[]> => {
  await fillOrders(environment, rows)
  const measured: Measured = {
    ...environment,
    service: await environment.startService(['--no-jobs']),
    recipients: rows,
    startWorker: (smtpPort) =>
      environment.startWorker({
        // Logs every call of a function, but no e-mails that were sent.
        LOG_LEVEL: 'info',
        EMAIL_PROVIDER: 'smtp',
        EMAIL_FROM: 'bench@example.com',
        EMAILS_AT_ONCE: `${emailsAtOnce}`,
        SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
      }),
  }
  const tables: Table[] = []
  for (const measure of [compareSending, measureShared, measureDocuments, measureFunctions]) {
    const found = await measure(measured)
    tables.push(...found)
    for (const { title } of found) note(`Measured: ${title}.\n`)
  }
  return tables
}
