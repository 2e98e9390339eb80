/** Preferences over HTTP, and unsubscribing from e-mails with one click (RFC 8058). */
import type { Static } from 'typebox'
import type { Person } from '../../auth/caller.ts'
import type { Permissions } from '../../auth/permissions.ts'
import type { Pool } from '../../database/pool.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { byChannel } from '../../definitions/schemas/notification-rule.ts'
import { closed, Type } from '../../definitions/schemas/schema-builder.ts'
import { apiError, validationError } from '../../errors.ts'
import { checkedBody, ignoredBody } from '../../http/endpoint/body.ts'
import { endpoint, openEndpoint } from '../../http/endpoint/endpoint.ts'
import { text } from '../../http/endpoint/parameters.ts'
import { component, json, media } from '../../http/openapi/operation.ts'
import { addIssue, type Issue, isFull, shorten } from '../../issues.ts'
import { builtInTexts } from '../../templates/built-in-texts.ts'
import { readReadings } from '../../users/user-readings.ts'
import { emailTag as tag } from '../delivery-endpoints.ts'
import { kindsOfDigest } from '../digests.ts'
import type { Signer } from '../signed-token.ts'
import { paces } from './next-time.ts'
import {
  listKinds,
  listPreferences,
  type NotificationKind,
  type Preference,
  readTimes,
  savePreferences,
  saveTimes,
} from './preferences.ts'

export type PreferenceDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly signer: Signer
}

const time = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description })

/** The preferences of a user, as they are read and written. */
const parts = {
  data: Type.Array(
    Type.Object(
      {
        entity: Type.String(),
        operation: Type.String(),
        ...byChannel(() => Type.Enum(paces, { type: 'string' })),
      },
      closed,
    ),
  ),
  dailyAt: time('HH:MM in your zone: when daily e-mails come.'),
  quietHours: Type.Union(
    [
      Type.Object(
        { from: time('HH:MM in your zone.'), to: time('HH:MM, also of the next day.') },
        closed,
      ),
      Type.Null(),
    ],
    { description: 'When no e-mails come, except urgent ones; null: there are none.' },
  ),
}
const preferences = component('Preferences', Type.Object(parts, closed))

const changes = Type.Object(
  {
    data: Type.Optional(parts.data),
    dailyAt: Type.Optional(parts.dailyAt),
    quietHours: Type.Optional(parts.quietHours),
  },
  closed,
)

const preferencesBody = checkedBody(changes, {
  daily: {
    value: {
      data: [{ entity: 'purchase_order', operation: 'create', email: 'daily' }],
      dailyAt: '07:30',
      quietHours: { from: '20:00', to: '07:00' },
    },
  },
})

type Changes = Static<typeof changes>

/** The preferences of a body; throws request.invalid if one has no such notification, or occurs twice. */
const toPreferences = (
  kinds: readonly NotificationKind[],
  { data = [], quietHours }: Changes,
): readonly Preference[] => {
  const issues: Issue[] = []
  const known = new Set(kinds.map(nameOf))
  const named = new Set<string>()
  for (const [index, preference] of data.entries()) {
    if (isFull(issues)) break
    const path = `data[${index}]`
    const name = nameOf(preference)
    if (!known.has(name))
      addIssue(issues, { path, message: `no notifications are sent for ${shorten(name, 100)}` })
    else if (named.has(name)) addIssue(issues, { path, message: `is the second entry for ${name}` })
    named.add(name)
  }
  if (quietHours && quietHours.from === quietHours.to)
    addIssue(issues, { path: 'quietHours', message: 'begin when they end' })
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return data
}

const nameOf = ({ entity, operation }: NotificationKind): string => `"${operation}" of "${entity}"`

const allOf = async (deps: PreferenceDeps, caller: Person) => ({
  data: await listPreferences(deps.pool, listKinds(deps, caller), caller.userId),
  ...(await readTimes(deps.pool, caller.userId)),
})

const answers = { 200: json('The preference for each kind of notification.', preferences) }

const unsubscribe = {
  tag,
  path: '/api/notifications/unsubscribe',
  query: { token: text('As in the link of the e-mail.', { isRequired: true }) },
  errors: ['request.no-such-path'],
} as const

/** /api/notifications/preferences and /api/notifications/unsubscribe. */
export const preferenceEndpoints = [
  endpoint({
    tag,
    who: 'caller',
    method: 'get',
    path: '/api/notifications/preferences',
    id: 'listPreferences',
    summary: 'Which e-mails you want, and when',
    answers,
    handle: async ({ caller }, deps: PreferenceDeps) => allOf(deps, caller),
  }),
  endpoint({
    tag,
    who: 'caller',
    method: 'put',
    path: '/api/notifications/preferences',
    id: 'savePreferences',
    summary: 'Say which e-mails you want, and when',
    description:
      'Preferences that are not named stay as they are. Notifications in the inbox are not affected.',
    body: preferencesBody,
    answers,
    handle: async ({ caller, body }, deps: PreferenceDeps) => {
      await savePreferences(deps.pool, caller.userId, toPreferences(listKinds(deps, caller), body))
      await saveTimes(deps.pool, caller.userId, body)
      return allOf(deps, caller)
    },
  }),
  openEndpoint({
    ...unsubscribe,
    method: 'get',
    id: 'showUnsubscribe',
    summary: 'The page behind the link of an e-mail',
    description: 'Changes nothing, because programs that check e-mails open every link.',
    answers: { 200: media('A page.', 'text/html') },
    handle: async ({ query, reply }, deps: PreferenceDeps) => {
      const page = pageIn(await localeOf(deps, readToken(deps, query.token)))
      return reply
        .type('text/html; charset=utf-8')
        .header('Content-Security-Policy', "default-src 'none'; form-action 'self'")
        .send(page)
    },
  }),
  openEndpoint({
    ...unsubscribe,
    method: 'post',
    id: 'unsubscribe',
    summary: 'No more e-mails like this (RFC 8058)',
    // Mail programs send a form with the click (RFC 8058, 3.2); the address says what to do.
    body: ignoredBody,
    answers: { 200: media('Done.', 'text/plain') },
    handle: async ({ query, reply }, deps: PreferenceDeps) => {
      const claim = readToken(deps, query.token)
      const kinds = await refusedBy(deps, claim)
      const refused = kinds.map((kind) => ({ ...kind, email: 'never' as const }))
      await savePreferences(deps.pool, Number(claim.user), refused)
      const { done } = builtInTexts(await localeOf(deps, claim)).unsubscribing
      return reply.type('text/plain; charset=utf-8').send(`${done}\n`)
    },
  }),
]

const pageIn = (locale = 'en'): string => {
  const { mail, unsubscribing } = builtInTexts(locale)
  return `<!doctype html><html lang="${locale}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${mail.unsubscribe}</title><h1>${mail.unsubscribe}</h1><p>${unsubscribing.kept}</p><form method="post"><button>${mail.unsubscribe}</button></form></html>
`
}

const readToken = ({ signer }: PreferenceDeps, token = '') => {
  const claim = signer.read(token)
  if (claim?.for !== 'unsubscribe')
    throw apiError('request.no-such-path', 'This address was not created by the service.')
  return claim
}

/** The locale of the user whom the e-mail was for; they need no session here. */
const localeOf = async (
  { pool, catalog }: PreferenceDeps,
  { user }: ReturnType<typeof readToken>,
): Promise<string | undefined> => {
  const userId = Number(user)
  const readings = await readReadings(pool, { catalog, timeZone: 'UTC' }, [userId])
  return readings(userId).catalog.locale
}

/** What one click turns off: the kind of an e-mail, or those of a digest. */
const refusedBy = async (
  { pool }: PreferenceDeps,
  { user, entity, operation, digest }: ReturnType<typeof readToken>,
): Promise<readonly NotificationKind[]> =>
  digest === undefined
    ? [{ entity: String(entity), operation: String(operation) }]
    : kindsOfDigest(pool, { userId: Number(user), mailingId: Number(digest) })
