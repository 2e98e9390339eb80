/** The settings of callers: their issuer, their sessions in browsers, and the first administrator. */
import { lowerCase } from '../lower-case.ts'
import {
  email,
  oneOf,
  optional,
  type Parser,
  type Setting,
  setting,
  text,
  url,
  wholeNumber,
} from './setting.ts'

/** An e-mail as users have it. */
const userEmail: Parser<string> = (value) => {
  const read = email(value)
  return typeof read === 'string' ? lowerCase(read) : read
}

const way = oneOf('password', 'passkey', 'code')

/** Several ways of signing in, each once; `none` for no way. */
const ways: Parser<readonly ('password' | 'passkey' | 'code')[]> = (value) => {
  if (value === 'none') return []
  const read = value.split(',').map((one) => way(one.trim()))
  const known = read.filter((one) => typeof one === 'string')
  return known.length === read.length && new Set(known).size === read.length
    ? known
    : { issue: 'must be none, or some of password, passkey and code, separated by commas' }
}

export const authSettings = {
  AUTH_ISSUER: optional(
    url('https:', 'http:'),
    'OpenID Connect issuer whose tokens are accepted; without it the development issuer on loopback addresses, and on others only API keys and the ways of signing in of the service.',
  ),
  AUTH_AUDIENCE: optional(text, 'Audience that a token must name; required with AUTH_ISSUER.'),
  AUTH_PROVISION_ROLE: optional(
    text,
    'Role for first-time callers, who become users; without it they are rejected.',
  ),
  AUTH_BIND_BY_EMAIL: setting(
    'false',
    oneOf('true', 'false'),
    'Whether a first-time caller with a verified e-mail becomes the one active user who has this e-mail and no subject yet.',
  ),
  AUTH_CLIENT_ID: optional(
    text,
    'Client of AUTH_ISSUER by which browsers sign in; without it only by API key.',
  ),
  AUTH_CLIENT_SECRET: optional(
    text,
    'Secret of AUTH_CLIENT_ID; without it the client is public and proves itself by PKCE alone.',
  ),
  SIGN_IN: optional(
    ways,
    'How people sign in besides AUTH_ISSUER, in place of `signIn` of docket.json: password, passkey, code, separated by commas, or none. Beyond this machine they need PUBLIC_URL with https.',
  ),
  SESSION_HOURS: setting(
    '12',
    wholeNumber(1, 8760),
    'Hours after which a browser has to sign in again.',
  ),
  SESSION_IDLE_MINUTES: setting(
    '0',
    wholeNumber(0, 525_600),
    'Minutes without a request after which a browser has to sign in again. 0: no limit.',
  ),
  ADMIN_EMAIL: setting(
    'admin@example.com',
    userEmail,
    'E-mail of the administrator, created in a database without one.',
  ),
} satisfies Record<string, Setting<unknown>>
