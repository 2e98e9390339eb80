/**
 * E-mails about an account: a code to sign in, and the link of an invitation. They are queued among all others, in the transaction of
 * their one-time code. Their secret is made when they are sent, so that it is stored nowhere: neither among the sent messages, which
 * administrators read, nor in a log.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { digestOf } from '../auth/callers/api-keys.ts'
import {
  answerOf,
  findAskingUser,
  newCode,
  sendAskedCode,
  setAnswer,
} from '../auth/codes/asked-codes.ts'
import { setDigest } from '../auth/codes/one-time-code-store.ts'
import {
  type Invited,
  insertInvitation,
  invitationLink,
  type NewInvitation,
} from '../auth/passwords/invitations.ts'
import { type Pool, type Queryable, queryRows } from '../database/pool.ts'
import { int, json, signalled, sql, text } from '../database/sql.ts'
import { messageTexts } from '../definitions/translations/languages.ts'
import { handleJob, type JobHandler } from '../jobs/job.ts'
import { DeliveryError, queuedChannel, type TakenDelivery } from './delivery.ts'
import { oneLine } from './email/compose-email.ts'
import type { Email } from './email/email.ts'
import type { AccountEmail, EventData } from './events/notification-event.ts'

type Options = {
  readonly pool: Pool
  readonly publicUrl: string
  readonly locale: string | undefined
  readonly projectName: string
  readonly replyTo: string | undefined
}

export type ComposedAccountEmail = {
  /** As it is stored and shown: without its secret. */
  readonly shown: Email
  /** Makes the secret, and the e-mail that is sent. */
  readonly withSecret: () => Promise<Email>
}

const hidden = '•••• ••••'

/** Composes the e-mail of a delivery; throws a DeliveryError if it must not be sent. */
export const composeAccountEmail = (
  options: Options,
  delivery: TakenDelivery,
  account: AccountEmail,
): ComposedAccountEmail => {
  if (!delivery.is_active || delivery.address === '')
    throw new DeliveryError('The recipient may not use the service any more.', { retryable: false })
  const email = (secret: string) => emailOf(options, delivery, account, secret)
  return {
    shown: email(hidden),
    withSecret: async () => email(await makeSecret(options, account)),
  }
}

const makeSecret = async (
  { pool, publicUrl }: Options,
  { kind, code_id: id }: AccountEmail,
): Promise<string> => {
  const code = kind === 'code' ? newCode() : randomBytes(32).toString('base64url')
  const isOpen =
    kind === 'code'
      ? await setAnswer(pool, id, (browser) => answerOf(browser, code))
      : await setDigest(pool, { id, digest: digestOf(code) })
  if (!isOpen)
    throw new DeliveryError('It has ended: a newer one was asked for, or it was revoked.', {
      retryable: false,
    })
  return kind === 'code' ? `${code.slice(0, 4)} ${code.slice(4)}` : invitationLink(publicUrl, code)
}

const emailOf = (
  { locale, projectName, publicUrl, replyTo }: Options,
  { event, full_name, address }: TakenDelivery,
  { kind }: AccountEmail,
  secret: string,
): Email => {
  const texts = accountTexts(locale)
  const { subject, before, after } = texts[kind]
  const lines = [texts.dear(full_name), before(projectName), secret, ...after].map(oneLine)
  return {
    messageId: `<${event}@${new URL(publicUrl).hostname}>`,
    to: { name: oneLine(full_name), address },
    replyTo,
    subject: oneLine(subject(projectName)),
    text: `${lines.join('\n\n')}\n`,
    html: htmlOf(lines, secret, texts.language),
    templateId: undefined,
    templateData: {},
    attachments: [],
    unsubscribeUrl: undefined,
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => entities[one] ?? one)

const htmlOf = (lines: readonly string[], secret: string, language: string): string => {
  const isLink = /^https?:/.test(secret)
  const shown = isLink
    ? `<a href="${escaped(secret)}">${escaped(secret)}</a>`
    : `<strong style="font-size: 1.5em">${escaped(secret)}</strong>`
  const paragraphs = lines.map((line) => `<p>${line === secret ? shown : escaped(line)}</p>`)
  return `<!doctype html><html lang="${language}"><body>${paragraphs.join('')}</body></html>`
}

type Said = (project: string) => string

type AccountTexts = {
  /** Their own. */
  readonly language: string
  readonly dear: Said
  readonly code: {
    readonly subject: Said
    readonly before: Said
    readonly after: readonly string[]
  }
  readonly invitation: {
    readonly subject: Said
    readonly before: Said
    readonly after: readonly string[]
  }
}

const english: AccountTexts = {
  language: 'en',
  dear: (name) => `Dear ${name},`,
  code: {
    subject: (project) => `Sign-in code for ${project}`,
    before: (project) => `This is your code for signing in to ${project}:`,
    after: [
      'Enter it in the browser in which you asked for it. It works once, within ten minutes.',
      'If you did not ask for it, you do not have to do anything: the code signs nobody in on another device.',
    ],
  },
  invitation: {
    subject: (project) => `Invitation to ${project}`,
    before: (project) => `You are invited to ${project}. This link opens your account:`,
    after: [
      'It works once, within 72 hours. Do not forward it: it opens your account for any person who has it.',
    ],
  },
}

const german: AccountTexts = {
  language: 'de',
  dear: (name) => `Guten Tag ${name},`,
  code: {
    subject: (project) => `Anmeldecode für ${project}`,
    before: (project) => `Das ist Ihr Code für die Anmeldung bei ${project}:`,
    after: [
      'Geben Sie ihn in dem Browser ein, in dem Sie ihn angefordert haben. Er gilt einmal und zehn Minuten lang.',
      'Haben Sie ihn nicht angefordert, müssen Sie nichts tun: Mit dem Code kann sich niemand auf einem anderen Gerät anmelden.',
    ],
  },
  invitation: {
    subject: (project) => `Einladung zu ${project}`,
    before: (project) => `Sie sind zu ${project} eingeladen. Dieser Link öffnet Ihr Konto:`,
    after: [
      'Er gilt einmal und 72 Stunden lang. Leiten Sie ihn nicht weiter: Er öffnet Ihr Konto für jede Person, die ihn hat.',
    ],
  },
}

const french: AccountTexts = {
  language: 'fr',
  dear: (name) => `Bonjour ${name},`,
  code: {
    subject: (project) => `Code de connexion à ${project}`,
    before: (project) => `Voici votre code pour vous connecter à ${project} :`,
    after: [
      'Saisissez-le dans le navigateur où vous l’avez demandé. Il est valable une seule fois, pendant dix minutes.',
      'Si vous ne l’avez pas demandé, vous n’avez rien à faire : ce code ne permet à personne de se connecter sur un autre appareil.',
    ],
  },
  invitation: {
    subject: (project) => `Invitation à ${project}`,
    before: (project) => `Vous êtes invité(e) à utiliser ${project}. Ce lien ouvre votre compte :`,
    after: [
      'Il est valable une seule fois, pendant 72 heures. Ne le transférez pas : il ouvre votre compte à toute personne qui le possède.',
    ],
  },
}

const croatian: AccountTexts = {
  language: 'hr',
  dear: (name) => `Poštovani/a ${name},`,
  code: {
    subject: (project) => `Kod za prijavu: ${project}`,
    before: (project) => `Ovo je vaš kod za prijavu (${project}):`,
    after: [
      'Upišite ga u preglednik u kojem ste ga zatražili. Vrijedi jednom, deset minuta.',
      'Ako ga niste zatražili, ne morate ništa učiniti: tim se kodom nitko ne može prijaviti na drugom uređaju.',
    ],
  },
  invitation: {
    subject: (project) => `Poziv: ${project}`,
    before: (project) => `Pozvani ste (${project}). Ova poveznica otvara vaš račun:`,
    after: [
      'Vrijedi jednom, 72 sata. Nemojte je prosljeđivati: otvara vaš račun svakome tko je ima.',
    ],
  },
}

/** The texts of a locale. */
const accountTexts = (locale?: string): AccountTexts =>
  messageTexts({ en: english, de: german, fr: french, hr: croatian }, locale)

type Queued = AccountEmail & {
  /** Identifies the e-mail; a second one with the same is not queued. */
  readonly event: string
  readonly userId: number
}

const queueAccountEmail = async (
  database: Queryable,
  { event, userId, kind, code_id }: Queued,
): Promise<void> => {
  const data: EventData = {
    record: {},
    actor: {},
    entity: { key: 'user', name: '' },
    action: {},
    comment: null,
    account: { kind, code_id },
  }
  await queryRows(
    database,
    sql`
      WITH mailing AS (
        INSERT INTO docket.mailing (event, entry, entity_key, entity_id, operation, data, wished, happened_at)
        VALUES (${text(event)}, 'account', 'user', ${int(userId)}, ${text(kind)}, ${json(data)},
          '{"printableDocuments":[],"documentFunctions":[]}', now())
        ON CONFLICT (event, entry) DO NOTHING
        RETURNING id
      ), queued AS (
        -- A person waits for it: it goes before those that wait already.
        INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, due_at)
        SELECT 'email', m.id, ${int(userId)}, gen_random_uuid(), now() - interval '1 day'
        FROM mailing m
        RETURNING id
      )
      SELECT ${signalled(queuedChannel, sql`count(*)`, 'queued')} FROM queued`,
  )
}

/** Sends the codes that people ask for; nothing is sent for a name that nobody has. */
export const handleAskedCodes = (pool: Pool): JobHandler =>
  handleJob(sendAskedCode, async ({ code_id, event }) => {
    const userId = await findAskingUser(pool, code_id)
    if (userId !== undefined)
      await queueAccountEmail(pool, { event, userId, kind: 'code', code_id })
  })

/** Invites a user by e-mail, in place of an earlier invitation; in a transaction. Its code is not known before. Undefined: there is no such active user. */
export const sendInvitation = async (
  database: Queryable,
  invited: Invited,
): Promise<NewInvitation | undefined> => {
  const { userId } = invited
  const stored = await insertInvitation(database, { ...invited, digest: null })
  if (!stored) return undefined
  const event = randomUUID()
  await queueAccountEmail(database, { event, userId, kind: 'invitation', code_id: stored.id })
  return { ...stored, code: undefined }
}
