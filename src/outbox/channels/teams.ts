/** Rooms in Microsoft Teams: an Adaptive Card to the webhook of a workflow that posts it. */
import type { Channel } from '../channel.ts'
import { type RoomMessage, roomChannel } from './rooms.ts'

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

const bodyOf = ({ title, url, message }: RoomMessage): object => ({
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

/** The lines of a message, as far as a card has room for them; the last one then ends with `…`. */
const fittingLines = (message: string): string[] => {
  const lines = message.split(/\r\n|[\n\r\u2028\u2029]/).filter((line) => line.trim() !== '')
  const fitting: string[] = []
  let room = maxMessageBytes
  for (const line of lines) {
    room -= paragraphBytes
    const part = withinBytes(line, room)
    if (part !== line) return [...fitting, `${part}…`]
    fitting.push(line)
    room -= jsonBytes(line)
  }
  return fitting
}

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

/** The longest beginning of a text whose JSON has so many bytes, with whole characters. */
const withinBytes = (text: string, most: number): string => {
  if (jsonBytes(text) <= most) return text
  let room = most
  let end = 0
  for (const character of text) {
    room -= jsonBytes(character)
    if (room < 0) break
    end += character.length
  }
  return text.slice(0, end)
}

export const teamsChannel: Channel = roomChannel({
  name: 'teams',
  setting: 'TEAMS_ROOM_URLS',
  bodyOf,
})
