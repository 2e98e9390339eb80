/** The channel of rooms in Slack: one message for all recipients of an event, to the incoming webhook of a room. */
import { type Config, publicUrlOf } from '../../config/load-config.ts'
import type { Queryable } from '../../database/pool.ts'
import { json, sql } from '../../database/sql.ts'
import type {
  Channel,
  ChannelOptions,
  DeliveryMessage,
  OpenChannel,
  OutgoingEvent,
  Skipped,
} from '../channel.ts'
import { absoluteUrl } from '../email/compose-email.ts'
import type { TakenDelivery } from '../sending/taken-delivery.ts'
import { outgoingRecipients, queryForRecipients } from './outgoing-recipients.ts'
import { openPosting, postJson } from './post-webhook.ts'

/** The name of the room of a rule. */
const roomOf = ({ slack }: OutgoingEvent['rule']): string | undefined => slack?.room

const openSlack = (options: ChannelOptions): OpenChannel => {
  const { config } = options
  const allowsPrivate = config.WEBHOOK_PRIVATE_ADDRESSES === 'true'
  const rooms = [...(config.SLACK_ROOM_URLS ?? [])].map(
    ([name, address]) => [name, { url: new URL(address), allowsPrivate }] as const,
  )
  return openPosting(options, {
    name: 'slack',
    setting: 'SLACK_ROOM_URLS',
    targets: new Map(rooms),
    targetOf: roomOf,
    errors: rooms
      .filter(([, { url }]) => url.protocol !== 'https:' && !allowsPrivate)
      .map(([name]) => `SLACK_ROOM_URLS must begin with https:// in "${name}"`),
    prepare: (delivery, room) => {
      const message = messageOf(delivery, config)
      return {
        message,
        send: (signal) => postJson(room, { channel: 'slack', body: message.text }, signal),
      }
    },
  })
}

/** The request; its address is the name of the room, because anyone who knows the URL can write there. */
const messageOf = (
  { shared, target, data, entity_id: id }: TakenDelivery,
  config: Config,
): DeliveryMessage => {
  const title = oneLine(shared?.title ?? '') || `${data.entity.name} ${id}`
  const url = absoluteUrl(shared?.url ?? '', publicUrlOf(config))
  const lines = [linked(title, url), escaped(shared?.message ?? '')]
  return {
    address: target ?? '',
    subject: title,
    headers: { 'Content-Type': 'application/json' },
    text: JSON.stringify({ text: lines.filter((line) => line !== '').join('\n') }),
    html: null,
    template: null,
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A link ends at `>`, and its address at `|`. */
const linked = (title: string, url: string | null): string => {
  const isWhole = url !== null && URL.canParse(url)
  if (!isWhole) return escaped(title)
  return `<${escaped(new URL(url).href.replaceAll('|', '%7C'))}|${escaped(title)}>`
}

/** As Slack reads text: nothing in it is then a link or mentions everybody, such as `<!channel>`. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Nobody is skipped: a room needs no address of a recipient, and is nobody's preference. */
const queueMessages = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
): Promise<Skipped[]> => {
  const contents = events.map(({ shared }, ord) => ({ ord, shared }))
  const statement = sql`
INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, target, shared)
SELECT 'slack', m.id, r.user_id, r.notification_id, e.target, c.shared
FROM ${outgoingRecipients(events, roomOf)}
JOIN json_to_recordset(${json(contents)}) AS c(ord integer, shared json) ON c.ord = r.ord
ORDER BY m.id
ON CONFLICT DO NOTHING`
  await queryForRecipients(connection, events, statement)
  return []
}

export const slackChannel: Channel = {
  name: 'slack',
  sendsTo: 'together',
  wants: (rule) => roomOf(rule) !== undefined,
  queue: queueMessages,
  open: async (options) => openSlack(options),
  openPreview:
    async ({ config }) =>
    async (delivery) =>
      messageOf(delivery, config),
}
