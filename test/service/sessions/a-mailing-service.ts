/** A service whose people sign in by codes too, with a worker and a real SMTP server. */
import assert from 'node:assert/strict'
import { type ParsedMail, simpleParser } from 'mailparser'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { startProject } from '../../support/a-project.ts'
import { startSmtp } from '../../support/email/providers/an-smtp-server.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

export const startMailingService = async (settings: Readonly<Record<string, string>> = {}) => {
  const smtp = await startSmtp()
  const service = await startProject({
    SIGN_IN: 'password,code',
    EMAIL_PROVIDER: 'smtp',
    EMAIL_FROM: 'docket@example.com',
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    ...settings,
  })
  const worker = await createWorker(service.runtime, { watch: false })
  return {
    service,
    /** The e-mails to an address, the oldest first. */
    mailsTo: async (address: string): Promise<readonly ParsedMail[]> => {
      const all = await Promise.all(smtp.taken.map((text) => simpleParser(text)))
      return all.filter((mail) => [mail.to].flat()[0]?.text.includes(address))
    },
    stop: async () => {
      await worker.stop()
      await service.stop()
      await smtp.stop()
    },
  }
}

export type MailingService = Awaited<ReturnType<typeof startMailingService>>

/** Waits until so many e-mails have come to an address, and returns the last one. */
export const mailTo = async (
  { mailsTo }: MailingService,
  address: string,
  count = 1,
): Promise<ParsedMail> => {
  await until(
    `${count} e-mails to ${address}`,
    async () => (await mailsTo(address)).length >= count,
  )
  const mails = await mailsTo(address)
  assert.equal(mails.length, count)
  return mails[count - 1] as ParsedMail
}

/** Everything that the database holds of one-time codes, jobs and e-mails. */
export const storedTexts = async ({ database }: TestService): Promise<string> => {
  const { rows } = await database.pool.query(
    `SELECT c::text AS text FROM docket.one_time_code c
     UNION ALL SELECT j::text FROM docket.job j
     UNION ALL SELECT m::text FROM docket.mailing m
     UNION ALL SELECT d::text FROM docket.delivery d`,
  )
  return rows.map(({ text }) => text).join('\n')
}
