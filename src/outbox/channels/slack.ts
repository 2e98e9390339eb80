/** Rooms in Slack, and in chats that read the same JSON: a text to the incoming webhook of the room. */
import type { Channel } from '../channel.ts'
import { type RoomMessage, roomChannel } from './rooms.ts'

/** A link ends at `>`, and its address at `|`. */
const linked = ({ title, url }: RoomMessage): string =>
  url ? `<${escaped(url.href.replaceAll('|', '%7C'))}|${escaped(title)}>` : escaped(title)

/** As Slack reads text: nothing in it is then a link or mentions everybody, such as `<!channel>`. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const slackChannel: Channel = roomChannel({
  name: 'slack',
  setting: 'SLACK_ROOM_URLS',
  bodyOf: (message) => ({
    text: [linked(message), escaped(message.message)].filter((line) => line !== '').join('\n'),
  }),
})
