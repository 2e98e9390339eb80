/** The channel of e-mails: one to each recipient who has an address. */
import { emailTransportOf } from '../../config/email-transport.ts'
import { type Config, publicUrlOf } from '../../config/load-config.ts'
import type { Queryable } from '../../database/pool.ts'
import { sql, table } from '../../database/sql.ts'
import {
  type ChosenReading,
  chosenReading,
  joinChosen,
  readingOf,
  zoneOf,
} from '../../users/user-readings.ts'
import { type ComposedAccountEmail, composeAccountEmail } from '../account-email.ts'
import type {
  Channel,
  ChannelOptions,
  ComposeMessage,
  DeliveryMessage,
  OpenChannel,
  OutgoingEvent,
  PreparedDelivery,
  Skipped,
} from '../channel.ts'
import type { TakenDelivery } from '../delivery.ts'
import { type Held, holdForDigests, isDigest } from '../digests.ts'
import type { Email, EmailProvider } from '../email/email.ts'
import { automaticHeaders, mailbox, type Sender } from '../email/providers/mime-message.ts'
import { loadTemplates } from '../email/template-library.ts'
import { nextTime } from '../preferences/next-time.ts'
import { type TimesRow, timesOf } from '../preferences/preferences.ts'
import { openComposer, openLibrary } from './compose-delivery.ts'
import { outgoingRecipients, queryForRecipients } from './outgoing-recipients.ts'

/** Opens the provider of the configuration. */
const openEmail = async (options: ChannelOptions): Promise<OpenChannel> => {
  const { config } = options
  const libraryOf = await openLibrary(options)
  const sender = senderOf(options)
  const provider = await providerOf(config, sender)
  // Whatever composes an e-mail is loaded now: Node.js keeps the failure of a module that is loaded when a process
  // has no file left.
  await (await libraryOf()).builtIn()
  const compose = await openComposer(options, provider, libraryOf)
  return {
    name: 'email',
    provider: provider.name,
    maxConcurrent: config.EMAILS_AT_ONCE,
    maxTries: config.EMAIL_MAX_TRIES,
    maxPerSecond: config.EMAIL_MAX_PER_SECOND,
    prepare: async (delivery) => {
      const account = accountEmailOf(options, delivery)
      return account
        ? preparedAccount(provider, account, sender)
        : {
            ...prepared(provider, await compose(delivery), sender),
            isStored: !isDigest(delivery),
          }
    },
    close: provider.close,
  }
}

/** Composes as the sender does, with the same limits; a template with an error concerns only its own e-mails. */
const openPreview = async (options: ChannelOptions): Promise<ComposeMessage> => {
  const { config, catalog } = options
  const { library } = await loadTemplates(config.PROJECT, catalog.locale)
  const sender = senderOf(options)
  const provider = await providerOf(config, sender)
  await provider.close()
  const compose = await openComposer(options, provider, async () => library, true)
  return async (delivery) => {
    const email = accountEmailOf(options, delivery)?.shown ?? (await compose(delivery))
    return emailMessage(email, sender)
  }
}

/** The e-mail of a delivery that is about an account, which has no template of the project. */
const accountEmailOf = (
  { config, pool, catalog, timeZone }: ChannelOptions,
  delivery: TakenDelivery,
): ComposedAccountEmail | undefined => {
  const { account } = delivery.data
  if (!account) return undefined
  const { catalog: inLanguage } = readingOf({ catalog, timeZone }, delivery)
  const deps = {
    pool,
    publicUrl: publicUrlOf(config),
    locale: inLanguage.locale,
    projectName: inLanguage.name ?? 'Docket',
    replyTo: config.EMAIL_REPLY_TO,
  }
  return composeAccountEmail(deps, delivery, account)
}

/** Its secret is made when it is sent, and not stored with the message. */
const preparedAccount = (
  provider: EmailProvider,
  { shown, withSecret }: ComposedAccountEmail,
  sender: Sender,
): PreparedDelivery => ({
  ...prepared(provider, shown, sender),
  send: async (signal) => provider.send(await withSecret(), signal),
})

/** Loaded on demand: a process that neither sends nor shows e-mails starts without it. */
const providerOf = async (config: Config, sender: Sender): Promise<EmailProvider> => {
  const { openProvider } = await import('../email/providers/open-provider.ts')
  return openProvider(emailTransportOf(config), sender)
}

const senderOf = ({ config, catalog }: ChannelOptions): Sender => ({
  name: config.EMAIL_FROM_NAME ?? catalog.name ?? 'Docket',
  address: config.EMAIL_FROM,
})

/** An e-mail for the provider. */
export const prepared = (
  { send, hasTaken }: Pick<EmailProvider, 'send' | 'hasTaken'>,
  email: Email,
  sender: Sender,
): PreparedDelivery => ({
  message: emailMessage(email, sender),
  send: (signal) => send(email, signal),
  ...(hasTaken && { wasTaken: (signal: AbortSignal) => hasTaken(email.messageId, signal) }),
})

type Row = {
  readonly ord: number
  readonly user_id: number
  /** Its delivery, if the choice or the quiet hours of the recipient may hold it. */
  readonly id: number | null
  readonly pace: 'immediately' | 'hourly' | 'daily'
  readonly now_ms: number
} & TimesRow &
  Pick<ChosenReading, 'time_zone'>

/**
 * Returns who has no address. Deliveries of a mailing that waits for its attachments become due with them, and what a recipient
 * does not want immediately waits for their next time.
 */
const queueEmails = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
): Promise<Skipped[]> => {
  const statement = sql`
WITH recipient AS MATERIALIZED (
  SELECT
    r.ord, m.id AS mailing_id, m.state, u.id AS user_id, coalesce(u.email, '') AS address, r.notification_id,
    coalesce(c.pace, 'immediately') AS pace, t.daily_at, t.quiet_from, t.quiet_to,
    ${chosenReading}
  FROM ${outgoingRecipients(events)}
  JOIN ${table('user')} u ON u.id = r.user_id
  LEFT JOIN docket.delivery_choice c ON c.user_id = r.user_id AND c.channel = 'email'
    AND c.entity_key = m.entity_key AND c.operation = m.operation
  LEFT JOIN docket.delivery_times t ON t.user_id = r.user_id${joinChosen(sql`r.user_id`)}
), queued AS (
  INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, due_at)
  SELECT 'email', r.mailing_id, r.user_id, r.notification_id,
    CASE r.state WHEN 'waiting' THEN 'infinity' ELSE now() END
  FROM recipient r
  WHERE r.address <> '' AND r.pace <> 'never'
  ORDER BY r.mailing_id, r.user_id
  ON CONFLICT DO NOTHING
  RETURNING id, mailing_id, user_id
)
SELECT r.ord, r.user_id, q.id, r.pace, r.daily_at, r.quiet_from, r.quiet_to, r.time_zone,
  extract(epoch FROM clock_timestamp())::double precision * 1000 AS now_ms
FROM recipient r
LEFT JOIN queued q ON q.mailing_id = r.mailing_id AND q.user_id = r.user_id
  AND (r.pace <> 'immediately' OR r.quiet_from IS NOT NULL)
WHERE r.address = '' OR q.id IS NOT NULL
ORDER BY r.ord, r.user_id`
  const rows = await queryForRecipients<Row>(connection, events, statement)
  const held = rows.flatMap((row): Held[] => {
    const { id, user_id: userId } = row
    const of = events[row.ord]
    const dueMs = id === null || !of ? undefined : dueOf(row, of)
    return id === null || dueMs === undefined ? [] : [{ id, userId, dueMs }]
  })
  await holdForDigests(connection, held)
  return rows.flatMap(({ ord, user_id: userId, id }) => {
    const of = events[ord]
    return of && id === null ? [{ of, userId, reason: 'has no e-mail address' }] : []
  })
}

const dueOf = (row: Row, { rule, timeZone }: OutgoingEvent): number | undefined => {
  const { dailyAt, quietHours } = timesOf(row)
  return nextTime(Math.floor(row.now_ms), {
    pace: row.pace,
    timeZone: zoneOf(timeZone, row),
    dailyAt,
    quietHours: quietHours ?? undefined,
    isUrgent: rule.urgent === true,
  })
}

export const emailChannel: Channel = {
  name: 'email',
  sendsTo: 'each',
  wants: () => true,
  queue: queueEmails,
  open: (options) => openEmail(options),
  openPreview: (options) => openPreview(options),
}

/** An e-mail as administrators read it, with the headers that the service sets; the provider adds its own. */
const emailMessage = (email: Email, sender: Sender): DeliveryMessage => ({
  address: email.to.address,
  subject: email.subject,
  headers: {
    From: mailbox(sender.name, sender.address),
    ...(email.replyTo !== undefined && { 'Reply-To': email.replyTo }),
    To: mailbox(email.to.name, email.to.address),
    Subject: email.subject,
    'Message-ID': email.messageId,
    ...automaticHeaders(email),
  },
  text: email.text,
  html: email.html ?? null,
  template:
    email.templateId === undefined ? null : { id: email.templateId, data: email.templateData },
})
