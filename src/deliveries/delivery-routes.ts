/** The paths of deliveries, for administrators: which e-mails went, which did not, and once more. */
import type { FastifyRequest } from 'fastify'
import type { Pool } from '../database/pool.ts'
import { type Catalog, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { apiError } from '../errors.ts'
import { callerOf } from '../http/caller-of.ts'
import { oneOf, readId, readQuery, wholeNumber, words } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { shorten } from '../issues.ts'
import { pageOf, pageReaders } from '../records/record-request.ts'
import { deliveryStatuses } from './delivery.ts'
import { findDelivery, listDeliveries, retryDelivery } from './delivery-store.ts'

type DeliveryDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
}

type IdParams = { Params: { deliveryId: string } }

const json = 'application/json; charset=utf-8'

/** Mounts /api/deliveries. */
export const deliveryRoutes =
  (deps: DeliveryDeps): Routes =>
  (server) => {
    const { pool, catalog } = deps
    server.get('/api/deliveries', async (request, reply) => {
      enter(request)
      const query = readQuery(request.query, {
        ...pageReaders,
        status: oneOf(...deliveryStatuses),
        entity: words,
        user: wholeNumber(1, 2_147_483_647),
      })
      const { status, entity, user } = query
      if (entity !== undefined) getEntity(catalog, entity)
      const filter = { status, entity, user, ...pageOf(query) }
      const deliveries = await listDeliveries(pool, filter)
      return reply.type(json).send(`{"data":[${deliveries.join(',')}]}`)
    })
    server.get<IdParams>('/api/deliveries/:deliveryId', async (request, reply) => {
      enter(request)
      readQuery(request.query, {})
      return reply.type(json).send(await getDelivery(pool, request))
    })
    server.post<IdParams>('/api/deliveries/:deliveryId/retry', async (request, reply) => {
      enter(request)
      readQuery(request.query, {})
      await getDelivery(pool, request)
      if (!(await retryDelivery(pool, Number(request.params.deliveryId))))
        throw apiError('delivery.not-failed', 'The e-mail was sent, or it is on its way.')
      return reply.type(json).send(await getDelivery(pool, request))
    })
  }

const enter = (request: FastifyRequest): void => {
  const { roleKey } = callerOf(request)
  if (roleKey !== administratorRole)
    throw apiError('caller.forbidden', 'Only administrators see deliveries.')
}

const getDelivery = async (pool: Pool, request: FastifyRequest<IdParams>): Promise<string> => {
  const id = readId(request.params.deliveryId, 'deliveryId')
  const found = id === undefined ? undefined : await findDelivery(pool, id)
  if (found === undefined)
    throw apiError(
      'delivery.unknown',
      `There is no delivery ${shorten(request.params.deliveryId, 30)}.`,
    )
  return found
}
