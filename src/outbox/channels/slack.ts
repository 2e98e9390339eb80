/** The channel of rooms in Slack: one message for all recipients of an event, to the incoming webhook of a room. */
import { type Config, publicUrlOf } from '../../config/load-config.ts'
import type { Queryable } from '../../database/pool.ts'
import { json, sql } from '../../database/sql.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { StartupError } from '../../errors.ts'
import { DeliveryError } from '../../retry-policy.ts'
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
import { type JsonTarget, postJson } from './post-webhook.ts'

const openSlack = ({ config, catalog }: ChannelOptions): OpenChannel => {
  const rooms = roomsOf(config, catalog)
  return {
    name: 'slack',
    provider: 'slack',
    maxConcurrent: config.WEBHOOKS_AT_ONCE,
    maxTries: config.WEBHOOK_MAX_TRIES,
    maxPerSecond: undefined,
    prepare: async (delivery) => {
      const room = rooms.get(delivery.target ?? '')
      // The setting may be added again.
      if (!room)
        throw new DeliveryError(`slack: SLACK_ROOM_URLS has no "${delivery.target}".`, {
          retryable: true,
        })
      const message = messageOf(delivery, config)
      return {
        message,
        send: (signal) => postJson(room, { channel: 'slack', body: message.text }, signal),
      }
    },
    close: async () => undefined,
  }
}

/** The rooms by name; throws at the start if one does not fit, or a rule names one that the setting lacks. */
const roomsOf = (config: Config, { entities }: Catalog): ReadonlyMap<string, JsonTarget> => {
  const allowsPrivate = config.WEBHOOK_PRIVATE_ADDRESSES === 'true'
  const rooms = new Map(
    [...(config.SLACK_ROOM_URLS ?? [])].map(([name, address]) => [
      name,
      { url: new URL(address), allowsPrivate },
    ]),
  )
  const open = [...rooms].flatMap(([name, { url }]) =>
    url.protocol === 'https:' || allowsPrivate
      ? []
      : [`SLACK_ROOM_URLS must begin with https:// in "${name}"`],
  )
  const lacking = [...entities.values()].flatMap(({ key, definition }) =>
    (definition.notifications ?? []).flatMap(({ slack }, index) =>
      slack === undefined || rooms.has(slack.room)
        ? []
        : [
            `SLACK_ROOM_URLS lacks "${slack.room}", which notifications[${index}] of "${key}" names`,
          ],
    ),
  )
  const errors = [...open, ...lacking]
  if (errors.length > 0)
    throw new StartupError(`The environment has errors:\n  ${errors.join('\n  ')}`)
  return rooms
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
FROM ${outgoingRecipients(events, ({ slack }) => slack?.room)}
JOIN json_to_recordset(${json(contents)}) AS c(ord integer, shared json) ON c.ord = r.ord
ORDER BY m.id
ON CONFLICT DO NOTHING`
  await queryForRecipients(connection, events, statement)
  return []
}

export const slackChannel: Channel = {
  name: 'slack',
  sendsTo: 'together',
  wants: ({ slack }) => slack !== undefined,
  queue: queueMessages,
  open: async (options) => openSlack(options),
  openPreview:
    async ({ config }) =>
    async (delivery) =>
      messageOf(delivery, config),
}
