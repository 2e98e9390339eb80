/** The channels of rooms in chats: one message for all recipients of an event, to an address of a setting. */
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

/** What is sent to a room. */
type RoomMessage = {
  /** One line, never empty. */
  readonly title: string
  /** An absolute address of http or https. */
  readonly url: URL | undefined
  /** Lines; empty if its recipients do not read it alike. */
  readonly message: string
}

/** A kind of chat. */
type Chat = {
  readonly name: 'slack' | 'teams'
  /** The setting that has the addresses of its rooms. */
  readonly setting: 'SLACK_ROOM_URLS' | 'TEAMS_ROOM_URLS'
  /** The JSON that it reads, in which no text of a record is a link, markup or a mention. */
  readonly bodyOf: (message: RoomMessage) => object
}

/** The channel of a kind of chat. */
const roomChannel = (chat: Chat): Channel => {
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

/** No recipient is skipped: a room needs no address of a recipient, and recipients have no preference about it. */
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

/** A link ends at `>`, and its address at `|`. */
const linked = ({ title, url }: RoomMessage): string =>
  url ? `<${escaped(url.href.replaceAll('|', '%7C'))}|${escaped(title)}>` : escaped(title)

/** As Slack reads text: nothing in it is then a link or mentions everybody, such as `<!channel>`. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** "Maximum length for the text in this field is 3000 characters", and one of them says that it was cut. */
const maxSectionLength = 2999

const escapedLength = (text: string): number => escaped(text).length

/** `verbatim`: addresses and names in it stay text as well. */
const section = (text: string) => ({
  type: 'section',
  text: { type: 'mrkdwn', text, verbatim: true },
})

/** What Teams shows as a card; a `header` would have no link. */
const blocksOf = (told: RoomMessage): object[] => {
  const title = `*${linked(told)}*`
  const { message } = told
  return [
    section(title.length > maxSectionLength ? `*${escaped(told.title)}*` : title),
    ...(message.trim() === ''
      ? []
      : [section(escaped(shortened(message, maxSectionLength, escapedLength)))]),
  ]
}

/** Slack, and chats that read the same JSON. Slack shows the text in notifications; others show it instead of the blocks. */
export const slackChannel: Channel = roomChannel({
  name: 'slack',
  setting: 'SLACK_ROOM_URLS',
  bodyOf: (message) => ({
    text: [linked(message), escaped(message.message)].filter((line) => line !== '').join('\n'),
    blocks: blocksOf(message),
  }),
})

/** "The message size limit is 28 KB"; the rest of the card, and what the workflow adds, needs some of it. */
const maxMessageBytes = 20_000

/** The JSON of a paragraph with an empty text. */
const paragraphBytes = 80

/** Runs of text are shown as they are, whereas a `TextBlock` reads Markdown. */
const paragraph = (text: string, style: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
})

/** Makes a run of text a link. */
const linkTo = ({ href }: URL) => ({ selectAction: { type: 'Action.OpenUrl', url: href } })

const cardOf = ({ title, url, message }: RoomMessage): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        fallbackText: title,
        msteams: { width: 'Full' },
        body: [
          paragraph(title, { weight: 'Bolder', size: 'Medium', ...(url && linkTo(url)) }),
          ...fittingLines(message).map((line) => paragraph(line)),
        ],
      },
    },
  ],
})

/** The lines of a message, as far as a card has room for them. */
const fittingLines = (message: string): string[] => {
  const lines = message.split(/\r\n|[\n\r\u2028\u2029]/).filter((line) => line.trim() !== '')
  const fitting: string[] = []
  let room = maxMessageBytes
  for (const line of lines) {
    room -= paragraphBytes
    const part = shortened(line, room, jsonBytes)
    fitting.push(part)
    if (part !== line) break
    room -= jsonBytes(line)
  }
  return fitting
}

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

/** A text, or its longest beginning of such a size, with whole characters; that ends with `…`, which is not counted. */
const shortened = (text: string, most: number, sizeOf: (text: string) => number): string => {
  if (sizeOf(text) <= most) return text
  let room = most
  let end = 0
  for (const character of text) {
    room -= sizeOf(character)
    if (room < 0) break
    end += character.length
  }
  return `${text.slice(0, end)}…`
}

/** Microsoft Teams: an Adaptive Card to the webhook of a workflow that posts it. */
export const teamsChannel: Channel = roomChannel({
  name: 'teams',
  setting: 'TEAMS_ROOM_URLS',
  bodyOf: cardOf,
})
