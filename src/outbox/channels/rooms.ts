/** What the channels of rooms in chats share: one message for all recipients of an event, to an address of a setting. */
import { type Config, publicUrlOf } from '../../config/load-config.ts'
import type { Queryable } from '../../database/pool.ts'
import { json, sql, text } from '../../database/sql.ts'
import type {
  Channel,
  ChannelOptions,
  DeliveryMessage,
  OpenChannel,
  OutgoingEvent,
  Skipped,
} from '../channel.ts'
import type { TakenDelivery } from '../delivery.ts'
import { absoluteUrl } from '../email/compose-email.ts'
import { outgoingRecipients, queryForRecipients } from './outgoing-recipients.ts'
import { openPosting, postJson } from './post-webhook.ts'

/** What a room is told. */
export type RoomMessage = {
  /** One line, never empty. */
  readonly title: string
  /** An absolute address of http or https. */
  readonly url: URL | undefined
  /** Lines; empty if its recipients do not read it alike. */
  readonly message: string
}

/** A kind of chat. */
export type Chat = {
  readonly name: 'slack' | 'teams'
  /** The setting that has the addresses of its rooms. */
  readonly setting: 'SLACK_ROOM_URLS' | 'TEAMS_ROOM_URLS'
  /** The JSON that it reads, in which no text of a record is a link, markup or a mention. */
  readonly bodyOf: (message: RoomMessage) => object
}

/** The channel of a kind of chat. */
export const roomChannel = (chat: Chat): Channel => {
  const roomOf = (rule: OutgoingEvent['rule']): string | undefined => rule[chat.name]?.room
  return {
    name: chat.name,
    sendsTo: 'together',
    wants: (rule) => roomOf(rule) !== undefined,
    queue: (connection, events) => queueMessages(connection, events, { ...chat, roomOf }),
    open: async (options) => openRooms(options, { ...chat, roomOf }),
    openPreview:
      async ({ config }) =>
      async (delivery) =>
        messageOf(chat, delivery, config),
  }
}

type Rooms = Chat & {
  /** The name of the room of a rule. */
  readonly roomOf: (rule: OutgoingEvent['rule']) => string | undefined
}

const openRooms = (options: ChannelOptions, chat: Rooms): OpenChannel => {
  const { config } = options
  const { name, setting, roomOf } = chat
  const allowsPrivate = config.WEBHOOK_PRIVATE_ADDRESSES === 'true'
  const rooms = [...(config[setting] ?? [])].map(
    ([room, address]) => [room, { url: new URL(address), allowsPrivate }] as const,
  )
  return openPosting(options, {
    name,
    setting,
    targets: new Map(rooms),
    targetOf: roomOf,
    errors: rooms
      .filter(([, { url }]) => url.protocol !== 'https:' && !allowsPrivate)
      .map(([room]) => `${setting} must begin with https:// in "${room}"`),
    prepare: (delivery, room) => {
      const message = messageOf(chat, delivery, config)
      return {
        message,
        send: (signal) => postJson(room, { channel: name, body: message.text }, signal),
      }
    },
  })
}

/** The request; its address is the name of the room, because anyone who knows the URL can write there. */
const messageOf = (
  { bodyOf }: Chat,
  { shared, target, data, entity_id: id }: TakenDelivery,
  config: Config,
): DeliveryMessage => {
  const title = oneLine(shared?.title ?? '') || `${data.entity.name} ${id}`
  const url = urlOf(absoluteUrl(shared?.url ?? '', publicUrlOf(config)))
  return {
    address: target ?? '',
    subject: title,
    headers: { 'Content-Type': 'application/json' },
    text: JSON.stringify(bodyOf({ title, url, message: shared?.message ?? '' })),
    html: null,
    template: null,
  }
}

const oneLine = (words: string): string => words.replace(/\s+/g, ' ').trim()

const urlOf = (address: string | null): URL | undefined =>
  address !== null && URL.canParse(address) ? new URL(address) : undefined

/** Nobody is skipped: a room needs no address of a recipient, and is nobody's preference. */
const queueMessages = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
  { name, roomOf }: Rooms,
): Promise<Skipped[]> => {
  const contents = events.map(({ shared }, ord) => ({ ord, shared }))
  const statement = sql`
INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, target, shared)
SELECT ${text(name)}, m.id, r.user_id, r.notification_id, e.target, c.shared
FROM ${outgoingRecipients(events, roomOf)}
JOIN json_to_recordset(${json(contents)}) AS c(ord integer, shared json) ON c.ord = r.ord
ORDER BY m.id
ON CONFLICT DO NOTHING`
  await queryForRecipients(connection, events, statement)
  return []
}
