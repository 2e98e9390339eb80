/** E-mails that the service has caught in place of sending them. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestService } from '../service.ts'

/** Adds an e-mail to a user, with the subject "O-1 waits". */
export const catchMail = async (
  { config }: Pick<TestService, 'config'>,
  to: string,
  html: string,
): Promise<void> => {
  const folder = join(config.PROJECT, '.docket', 'mail')
  await mkdir(folder, { recursive: true })
  const head = `To: ${to}\r\nSubject: O-1 waits\r\nMIME-Version: 1.0`
  const type = 'Content-Type: text/html; charset=utf-8'
  const name = `2026-05-04T08-30-00.000Z_${to}_0123456789abcdef.eml`
  await writeFile(join(folder, name), `${head}\r\n${type}\r\n\r\n${html}`)
}
