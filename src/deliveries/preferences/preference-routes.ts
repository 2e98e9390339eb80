/** The paths of preferences, and the one click that ends e-mails of a kind (RFC 8058). */
import type { FastifyRequest } from 'fastify'
import type { Pool } from '../../database/pool.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { apiError } from '../../errors.ts'
import { callerOf, openPath } from '../../http/caller-of.ts'
import { readQuery, words } from '../../http/query-parameters.ts'
import type { Routes } from '../../http/server.ts'
import type { Signer } from '../signed-token.ts'
import { listPreferences, savePreferences } from './preferences.ts'
import { readPreferences } from './read-preferences.ts'

type PreferenceDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly signer: Signer
}

/** Mounts /api/notifications/preferences and /api/notifications/unsubscribe. */
export const preferenceRoutes =
  (deps: PreferenceDeps): Routes =>
  (server) => {
    const { pool, catalog } = deps
    server.get('/api/notifications/preferences', async (request) => {
      const { userId } = callerOf(request)
      readQuery(request.query, {})
      return { data: await listPreferences(pool, catalog, userId) }
    })
    server.put('/api/notifications/preferences', async (request) => {
      const { userId } = callerOf(request)
      readQuery(request.query, {})
      await savePreferences(pool, userId, readPreferences(catalog, request.body))
      return { data: await listPreferences(pool, catalog, userId) }
    })
    server.register((scope, _options, done) => {
      // Mail programs send a form of either kind with the click (RFC 8058, 3.2); what is to be done
      // stands in the address.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, read) => read(null))
      scope.post('/api/notifications/unsubscribe', openPath, async (request, reply) => {
        const { userId, entity, operation } = readToken(deps, request)
        await savePreferences(pool, userId, [{ entity, operation, email: false }])
        return reply.type('text/plain; charset=utf-8').send('Done: no more e-mails like this.\n')
      })
      // A look at the address changes nothing: programs that check mails look at every link.
      scope.get('/api/notifications/unsubscribe', openPath, async (request, reply) => {
        readToken(deps, request)
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

const readToken = ({ signer }: PreferenceDeps, request: FastifyRequest) => {
  const { token = '' } = readQuery(request.query, { token: words })
  const claim = signer.read(token)
  if (claim?.for !== 'unsubscribe')
    throw apiError('request.no-such-path', 'This address was not made by the service.')
  return {
    userId: Number(claim.user),
    entity: String(claim.entity),
    operation: String(claim.operation),
  }
}
