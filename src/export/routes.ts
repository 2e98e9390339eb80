/** `POST /:entity_type/export`: request, criteria, plan, COPY, stream (docs/export.md). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import type { Pool } from '../database/pool.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { fault, faultOfMistakes } from '../errors.ts'
import { flag, oneOf, readQuery, wholeNumber } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import type { Observe } from '../observations.ts'
import { parseCriteria } from '../query/parse-criteria.ts'
import type { ExportFormat } from './export-format.ts'
import { chooseFormat, exportFormatNames } from './export-formats.ts'
import { planExport } from './plan-export.ts'
import { runExport } from './run-export.ts'
import { sendExport } from './send-export.ts'

export type ExportParts = {
  /** Connections of exports only, so that they never take those of other requests. */
  readonly pool: Pool
  readonly atOnce: number
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  readonly observe: Observe
  readonly timeZone: string
}

type Params = { Params: { entityType: string } }

const most = Number.MAX_SAFE_INTEGER
const readers = {
  limit: wholeNumber(1, 1_000_000_000),
  page: wholeNumber(1, 1_000_000_000),
  format: oneOf(...exportFormatNames),
  bom: flag,
  manifest: flag,
}

/** Mounts the export. */
export const exportRoutes =
  (parts: ExportParts): Routes =>
  (server) => {
    let running = 0
    server.post<Params>('/:entityType/export', async (request, reply) => {
      const caller = await parts.authenticate(request)
      const wish = readWish(parts, caller, request)
      if (running >= parts.atOnce) throw saturated(parts.atOnce)
      running += 1
      try {
        return await answer(parts, request, reply, wish, () => {
          running -= 1
        })
      } catch (error) {
        running -= 1
        throw error
      }
    })
  }

const saturated = (atOnce: number) =>
  fault('request.saturated', `${atOnce} exports are running.`, { headers: { 'Retry-After': '5' } })

/** Everything that can be refused is refused here, before a connection is taken. */
const readWish = (parts: ExportParts, caller: Caller, request: FastifyRequest<Params>) => {
  const { catalog, permissions, timeZone } = parts
  const entity = getEntity(catalog, request.params.entityType)
  const query = readQuery(request.query, readers)
  if (query.page !== undefined && query.limit === undefined)
    throw faultOfMistakes('request.invalid', [{ path: 'page', message: 'needs a limit beside it' }])
  const format = chooseFormat(query.format, request.headers.accept)
  const criteria = parseCriteria(request.body)
  const access = permissions.accessOf(caller)
  // The narrower of both rights decides which records go out.
  const exported = permissions.permit(caller, 'export', entity)
  const read = permissions.permit(caller, 'read', entity)
  const scope = exported === 'all' ? read : exported
  const offset = query.limit === undefined ? 0 : ((query.page ?? 1) - 1) * query.limit
  const page =
    query.limit === undefined ? undefined : { limit: query.limit, offset: Math.min(offset, most) }
  const plan = planExport({ catalog, entity, access, scope, criteria, page, timeZone })
  return { entity, format, plan, bom: query.bom ?? false, manifest: query.manifest ?? false }
}

type ExportWish = ReturnType<typeof readWish>

const answer = async (
  { pool, observe }: ExportParts,
  request: FastifyRequest<Params>,
  reply: FastifyReply,
  { entity, format, plan, bom, manifest }: ExportWish,
  onDone: () => void,
) => {
  const begun = performance.now()
  const sheet = {
    columns: plan.columns,
    name: entity.name,
    escapesFormulas: entity.definition.exportSettings?.escapeFormulas ?? true,
    hasByteOrderMark: bom,
  }
  const leaving = new AbortController()
  reply.raw.once('close', () => leaving.abort())
  // Who has left already closes nothing any more.
  if (reply.raw.destroyed || request.raw.socket.destroyed) leaving.abort()
  const named = { requestId: request.id, entity: entity.key, format: format.name }
  const running = await runExport({ pool, plan, format, sheet, left: leaving.signal }).catch(
    (error) => {
      if (!leaving.signal.aborted) throw error
    },
  )
  if (!running) {
    onDone()
    observe({ kind: 'exportLeft', ...named, rows: 0 })
    return reply.hijack()
  }
  if (plan.omitted.length > 0) reply.header('X-Omitted-Columns', plan.omitted.join(', '))
  reply
    .type(format.contentType)
    .header('Content-Disposition', `attachment; filename="${fileName(entity, format)}"`)
    .header('Cache-Control', 'no-store')
  return sendExport({
    reply,
    running,
    acceptEncoding: request.headers['accept-encoding'],
    withManifest: manifest,
    onEnd: (error, bytes) => {
      onDone()
      const told = { ...named, rows: running.rows() }
      if (!error) observe({ kind: 'exportEnded', ...told, bytes, ms: performance.now() - begun })
      else if (isLeave(error)) observe({ kind: 'exportLeft', ...told })
      else observe({ kind: 'exportAborted', ...told, error })
    },
  })
}

// The last part was closed from outside: the client went away.
const isLeave = (error: Error): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'

const fileName = (entity: Entity, format: ExportFormat): string =>
  `${entity.key}-${new Date().toISOString().slice(0, 10)}.${format.extension}`
