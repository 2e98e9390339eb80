/** The paths of preferences, and the one click that ends e-mails of a kind (RFC 8058). */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { kindOf } from '../definitions/check-value.ts'
import { fault, faultOfMistakes, type Mistake } from '../errors.ts'
import { readQuery, words } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { kindsOf, listPreferences, type Preference, savePreferences } from './preferences.ts'
import type { Signer } from './signed-token.ts'

type PreferenceParts = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  readonly signer: Signer
}

/** Mounts /api/notifications/preferences and /api/notifications/unsubscribe. */
export const preferenceRoutes =
  (parts: PreferenceParts): Routes =>
  (server) => {
    const { pool, catalog, authenticate } = parts
    server.get('/api/notifications/preferences', async (request) => {
      const { userId } = await authenticate(request)
      readQuery(request.query, {})
      return { data: await listPreferences(pool, catalog, userId) }
    })
    server.put('/api/notifications/preferences', async (request) => {
      const { userId } = await authenticate(request)
      readQuery(request.query, {})
      await savePreferences(pool, userId, readWishes(catalog, request.body))
      return { data: await listPreferences(pool, catalog, userId) }
    })
    server.register((scope, _options, done) => {
      // What mail programs send with the click; everything is in the address.
      const form = 'application/x-www-form-urlencoded'
      scope.addContentTypeParser(form, { parseAs: 'string' }, (_request, _body, read) => read(null))
      scope.post('/api/notifications/unsubscribe', async (request, reply) => {
        const { userId, entity, operation } = readToken(parts, request)
        await savePreferences(pool, userId, [{ entity, operation, email: false }])
        return reply.type('text/plain; charset=utf-8').send('Done: no more e-mails like this.\n')
      })
      // A look at the address changes nothing: programs that check mails look at every link.
      scope.get('/api/notifications/unsubscribe', async (request, reply) => {
        readToken(parts, request)
        return reply
          .type('text/html; charset=utf-8')
          .header('Content-Security-Policy', "default-src 'none'; form-action 'self'")
          .send(page)
      })
      done()
    })
  }

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No more e-mails like this</title><h1>No more e-mails like this?</h1><p>What happens is still shown to you in the service.</p><form method="post"><button>No more e-mails like this</button></form></html>
`

const readToken = ({ signer }: PreferenceParts, request: FastifyRequest) => {
  const { token = '' } = readQuery(request.query, { token: words })
  const claim = signer.read(token)
  if (claim?.for !== 'unsubscribe')
    throw fault('request.no-such-path', 'This address was not made by the service.')
  return {
    userId: Number(claim.user),
    entity: String(claim.entity),
    operation: String(claim.operation),
  }
}

/** Throws request.invalid with every mistake. */
const readWishes = (catalog: Catalog, body: unknown): Preference[] => {
  const data = isObject(body) && Object.keys(body).join() === 'data' ? body.data : undefined
  if (!Array.isArray(data))
    throw faultOfMistakes('request.invalid', [
      {
        path: 'data',
        message: 'must be an array of { entity, operation, email }, and all there is',
      },
    ])
  const known = new Set(kindsOf(catalog).map(({ entity, operation }) => `${entity} ${operation}`))
  const mistakes: Mistake[] = []
  const wishes = data.flatMap((entry: unknown, index): Preference[] => {
    const at = `data[${index}]`
    const message = wishMistake(entry, known)
    if (message === undefined) return [entry as Preference]
    mistakes.push({ path: at, message })
    return []
  })
  if (mistakes.length > 0) throw faultOfMistakes('request.invalid', mistakes)
  return wishes
}

const wishMistake = (entry: unknown, known: ReadonlySet<string>): string | undefined => {
  if (!isObject(entry)) return `must be an object, not ${kindOf(entry)}`
  const { entity, operation, email, ...rest } = entry
  const [other] = Object.keys(rest)
  if (other !== undefined) return `has the unknown property "${other.slice(0, 40)}"`
  if (typeof email !== 'boolean') return 'lacks "email", which is true or false'
  return known.has(`${entity} ${operation}`)
    ? undefined
    : 'names no entity and operation that sends notifications'
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
