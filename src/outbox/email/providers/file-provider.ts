/** Writes e-mails to a folder instead of sending them: for development and tests. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { errorText } from '../../../errors.ts'
import { DeliveryError } from '../../delivery.ts'
import type { Email, EmailProvider } from '../email.ts'
import { mimeMessage, type Sender } from './mime-message.ts'

const mebibyte = 1_048_576

/** A provider that stores e-mails as `.eml` files; the name contains time and recipient. */
export const fileProvider = (directory: string, sender: Sender): EmailProvider => {
  const mailer = createTransport({ streamTransport: true, buffer: true })
  return {
    name: 'file',
    maxBytes: 1024 * mebibyte,
    send: async (email) => {
      const { message } = await mailer.sendMail(await mimeMessage(email, sender))
      await keep(directory, fileName(email), message as Buffer)
    },
    hasTaken: async (messageId) => {
      const end = endOfName(messageId)
      return (await readdir(directory)).some((name) => !name.startsWith('.') && name.endsWith(end))
    },
    close: async () => mailer.close(),
  }
}

// Two e-mails at the same time to one user differ in their message id.
const fileName = ({ to, messageId }: Email): string => {
  const time = new Date().toISOString().replaceAll(':', '-')
  const address = to.address.replaceAll(/[^\w.@-]+/g, '_').slice(0, 80)
  return `${time}_${address}${endOfName(messageId)}`
}

const endOfName = (messageId: string): string =>
  `_${createHash('sha256').update(messageId).digest('hex').slice(0, 16)}.eml`

/** Renamed when complete, so that nobody reads half an e-mail. */
const keep = async (directory: string, name: string, message: Buffer): Promise<void> => {
  const half = join(directory, `.${name}.part`)
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeFile(half, message, { mode: 0o600 })
    await rename(half, join(directory, name))
  } catch (error) {
    await rm(half, { force: true }).catch(() => undefined)
    const { code } = error as NodeJS.ErrnoException
    throw new DeliveryError(`The e-mail could not be written: ${code ?? errorText(error)}.`, {
      retryable: true,
      cause: error,
    })
  }
}
