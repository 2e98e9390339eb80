/** `POST /:entity_type/export`: request, criteria, plan, order, answer (docs/export.md). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { fault, faultOfMistakes } from '../errors.ts'
import { flag, oneOf, readQuery, wholeNumber } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import type { Observe } from '../observations.ts'
import { parseCriteria } from '../query/parse-criteria.ts'
import { compileOrder } from './compile-export.ts'
import type { ExportFormat } from './export-format.ts'
import { chooseFormat, exportFormatNames } from './export-formats.ts'
import type { ExportThreads } from './export-threads.ts'
import { planExport } from './plan-export.ts'
import { chooseEncoding, sendExport } from './send-export.ts'

export type ExportParts = {
  /** With connections of their own, so that exports never take those of other requests. */
  readonly threads: ExportThreads
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
    server.post<Params>('/:entityType/export', async (request, reply) => {
      const caller = await parts.authenticate(request)
      return answer(parts, request, reply, readWish(parts, caller, request))
    })
  }

const saturated = (atOnce: number) =>
  fault('request.saturated', `${atOnce} exports are running.`, { headers: { 'Retry-After': '5' } })

/** Everything that can be refused is refused here, before a thread and a connection are taken. */
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

const answer = (
  { threads, observe }: ExportParts,
  request: FastifyRequest<Params>,
  reply: FastifyReply,
  wish: ExportWish,
) => {
  const { entity, format } = wish
  const begun = performance.now()
  const encoding = chooseEncoding(request.headers['accept-encoding'])?.name
  // HTTP/1.0 has no trailers.
  const withManifest = wish.manifest && request.raw.httpVersion !== '1.0'
  const order = orderOf(wish, encoding, withManifest)
  const named = { requestId: request.id, entity: entity.key, format: format.name }
  return sendExport({
    reply,
    headers: headersOf(wish, encoding, withManifest),
    withManifest,
    run: (listener) => {
      const leave = threads.run(order, listener)
      if (!leave) throw saturated(threads.atOnce)
      return leave
    },
    onEnd: (outcome) => {
      if (outcome.kind !== 'exportEnded') observe({ ...named, ...outcome })
      else observe({ ...named, ...outcome, ms: performance.now() - begun })
    },
  })
}

const orderOf = (
  { entity, format, plan, bom }: ExportWish,
  encoding: string | undefined,
  withDigest: boolean,
) => {
  const sheet = {
    columns: plan.columns,
    name: entity.name,
    escapesFormulas: entity.definition.exportSettings?.escapeFormulas ?? true,
    hasByteOrderMark: bom,
  }
  return compileOrder({ plan, format, sheet, encoding, withDigest })
}

const headersOf = (
  { entity, format, plan }: ExportWish,
  encoding: string | undefined,
  withManifest: boolean,
) => ({
  'Content-Type': format.contentType,
  'Content-Disposition': `attachment; filename="${fileName(entity, format)}"`,
  'Cache-Control': 'no-store',
  Vary: 'Accept, Accept-Encoding',
  ...(plan.omitted.length > 0 && { 'X-Omitted-Columns': plan.omitted.join(', ') }),
  ...(encoding && { 'Content-Encoding': encoding }),
  ...(withManifest && { Trailer: 'X-Row-Count, Digest' }),
})

const fileName = (entity: Entity, format: ExportFormat): string =>
  `${entity.key}-${new Date().toISOString().slice(0, 10)}.${format.extension}`
