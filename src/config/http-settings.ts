/** The settings of the HTTP server: limits and trusted proxies. */
import { BlockList, isIP } from 'node:net'
import { optional, type Parser, type Setting, setting, several, wholeNumber } from './setting.ts'

/** Addresses and networks such as `10.0.0.0/8`, separated by commas. */
const networks: Parser<BlockList> = (value) => {
  const list = new BlockList()
  const isValid = value.split(',').every((part) => addNetwork(list, part.trim()))
  return isValid
    ? list
    : { issue: 'must be addresses or networks separated by commas, such as 10.0.0.0/8,127.0.0.1' }
}

const addNetwork = (list: BlockList, text: string): boolean => {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  const longest = family === 6 ? 128 : 32
  if (family === 0 || Number(prefix ?? longest) > longest) return false
  list.addSubnet(address, Number(prefix ?? longest), family === 6 ? 'ipv6' : 'ipv4')
  return true
}

/** A secret that is allowed in a header. */
const secret: Parser<string> = (value) =>
  /^[!-~]{16,}$/.test(value) ? value : { issue: 'must be 16 or more visible ASCII characters' }

/** What a browser calls a site: protocol, host and port, such as `https://app.example.com`. */
const origin: Parser<string> = (value) => {
  const isOrigin =
    URL.canParse(value) && /^https?:[^*]+$/.test(value) && new URL(value).origin === value
  return isOrigin
    ? value
    : {
        issue:
          'must be origins separated by blanks, such as https://app.example.com, in small letters and without a path; "*" is none, because each page that may call the service must be named',
      }
}

const maxPerMinute = 100_000_000

export const httpSettings = {
  BODY_LIMIT_BYTES: setting('4194304', wholeNumber(1024, 1073741824), 'Largest request body.'),
  IMPORT_LIMIT_BYTES: setting(
    '1073741824',
    wholeNumber(1024, 1_099_511_627_776),
    'Largest file that is imported; it is kept in a temporary folder until it is read.',
  ),
  BODY_TIMEOUT_SECONDS: setting(
    '30',
    wholeNumber(1, 3600),
    'Time to receive a whole request with its body; then it is answered 408.',
  ),
  READER_TIMEOUT_SECONDS: setting(
    '60',
    wholeNumber(1, 3600),
    'Seconds after which a connection is cut when the client reads nothing of an answer; ten times as long when it sends data meanwhile.',
  ),
  CONNECTIONS_AT_ONCE: setting(
    '10000',
    wholeNumber(0, 1_000_000),
    'Maximum connections of all clients; further ones are closed. 0: no limit.',
  ),
  CONNECTIONS_PER_ADDRESS: setting(
    '1000',
    wholeNumber(0, 1_000_000),
    'Maximum connections from one address, except those in TRUST_PROXY; further ones are answered 429 and closed. 0: no limit.',
  ),
  REQUESTS_PER_CALLER: setting(
    '60000',
    wholeNumber(0, maxPerMinute),
    'Maximum requests per minute of one user; further ones are answered 429. 0: no limit.',
  ),
  REQUESTS_PER_ADDRESS: setting(
    '300000',
    wholeNumber(0, maxPerMinute),
    'Maximum requests per minute from one address; further ones are answered 429. 0: no limit.',
  ),
  WRONG_CREDENTIALS_PER_ADDRESS: setting(
    '100',
    wholeNumber(0, maxPerMinute),
    'Maximum wrong tokens, API keys and passwords per minute from one address; then unknown credentials are answered 429. 0: no limit.',
  ),
  TRUST_PROXY: optional(
    networks,
    'Addresses or networks of proxies whose X-Forwarded-For is trusted, separated by commas.',
  ),
  CORS_ORIGINS: optional(
    several(origin),
    'Origins whose pages may call the API with a token of their own, separated by blanks; without it only pages of the service itself.',
  ),
  METRICS_TOKEN: optional(
    secret,
    "Bearer token of /api/metrics; without it an administrator's token is required, with the development issuer none.",
  ),
} satisfies Record<string, Setting<unknown>>
