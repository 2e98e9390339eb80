/** The settings of webhooks and of rooms in chats: where they go, and what webhooks are signed with. */
import { oneOf, optional, pairs, type Setting, setting, wholeNumber } from './setting.ts'

const isWebUrl = (value: string): boolean =>
  URL.canParse(value) && ['https:', 'http:'].includes(new URL(value).protocol)

// Standard Webhooks: 24 to 64 bytes.
const isSecret = (value: string): boolean => {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const bytes = base64 === undefined ? 0 : Buffer.from(base64, 'base64').length
  return bytes >= 24 && bytes <= 64
}

export const webhookSettings = {
  WEBHOOK_URLS: optional(
    pairs(isWebUrl, 'https://erp.example.com/hooks'),
    'Webhooks that rules name, as pairs name=URL separated by blanks; https, or http with WEBHOOK_PRIVATE_ADDRESSES.',
  ),
  WEBHOOK_SECRETS: optional(
    pairs(isSecret, 'whsec_<24 to 64 bytes in base64>'),
    'What each webhook is signed with, as pairs name=whsec_… separated by blanks.',
  ),
  SLACK_ROOM_URLS: optional(
    pairs(isWebUrl, 'https://hooks.slack.com/services/T0/B0/secret'),
    'Rooms in Slack that rules name, as pairs name=URL of an incoming webhook, separated by blanks; everyone who knows a URL can write there.',
  ),
  TEAMS_ROOM_URLS: optional(
    pairs(isWebUrl, 'https://prod-00.westeurope.logic.azure.com/workflows/secret'),
    'Rooms in Microsoft Teams that rules name, as pairs name=URL of the webhook of a workflow, separated by blanks; everyone who knows a URL can write there.',
  ),
  WEBHOOK_PRIVATE_ADDRESSES: setting(
    'false',
    oneOf('true', 'false'),
    'Whether webhooks and messages to rooms may go to private and loopback addresses, and by http.',
  ),
  WEBHOOKS_AT_ONCE: setting(
    '5',
    wholeNumber(1, 100),
    'Requests to webhooks that one process sends concurrently; as many to rooms.',
  ),
  WEBHOOK_MAX_TRIES: setting(
    '8',
    wholeNumber(1, 20),
    'Tries of one request to a webhook or a room, over about a day.',
  ),
} satisfies Record<string, Setting<unknown>>
