/** The settings of the HTTP server: how much it takes from whom, and whom it believes. */
import { BlockList, isIP } from 'node:net'
import { optional, type Reading, type Setting, setting, wholeNumber } from './setting.ts'

/** Addresses and networks such as `10.0.0.0/8`, separated by commas. */
const networks: Reading<BlockList> = (value) => {
  const list = new BlockList()
  const isRight = value.split(',').every((part) => addNetwork(list, part.trim()))
  return isRight
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

/** A secret that can stand in a header. */
const secret: Reading<string> = (value) =>
  /^[!-~]{16,}$/.test(value) ? value : { issue: 'must be 16 or more visible ASCII characters' }

const maxPerMinute = 100_000_000

export const httpSettings = {
  BODY_LIMIT_BYTES: setting('4194304', wholeNumber(1024, 1073741824), 'Largest request body.'),
  BODY_TIMEOUT_SECONDS: setting(
    '30',
    wholeNumber(1, 3600),
    'Time that a request has to come whole, its body included; later it is a 408.',
  ),
  READER_TIMEOUT_SECONDS: setting(
    '60',
    wholeNumber(1, 3600),
    'A connection is cut whose reader takes nothing of an answer for so many seconds; who sends something meanwhile has ten times as long.',
  ),
  CONNECTIONS_AT_ONCE: setting(
    '10000',
    wholeNumber(0, 1_000_000),
    'Connections of all clients together; further ones are closed. 0: no limit.',
  ),
  CONNECTIONS_PER_ADDRESS: setting(
    '1000',
    wholeNumber(0, 1_000_000),
    'Connections from one address, TRUST_PROXY aside; further ones are answered 429 and closed. 0: no limit.',
  ),
  REQUESTS_PER_CALLER: setting(
    '60000',
    wholeNumber(0, maxPerMinute),
    'Requests of one user in a minute; further ones are answered 429. 0: no limit.',
  ),
  REQUESTS_PER_ADDRESS: setting(
    '300000',
    wholeNumber(0, maxPerMinute),
    'Requests from one address in a minute; further ones are answered 429. 0: no limit.',
  ),
  WRONG_CREDENTIALS_PER_ADDRESS: setting(
    '100',
    wholeNumber(0, maxPerMinute),
    'Wrong tokens and API keys from one address in a minute; then those that are not known already are answered 429. 0: no limit.',
  ),
  TRUST_PROXY: optional(
    networks,
    'Addresses or networks of proxies whose X-Forwarded-For is believed, separated by commas.',
  ),
  METRICS_TOKEN: optional(
    secret,
    'Bearer token of /api/metrics; without it that of an administrator, or with the development issuer none.',
  ),
} satisfies Record<string, Setting<unknown>>
