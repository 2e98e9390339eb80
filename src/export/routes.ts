/** `POST /:entity_type/export`: request, criteria, plan, task, answer (docs/export.md). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { apiError, validationError } from '../errors.ts'
import { callerOf } from '../http/caller-of.ts'
import { flag, oneOf, readQuery, wholeNumber } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import type { Observe } from '../observations.ts'
import type { Criteria } from '../query/criteria.ts'
import { parseCriteria } from '../query/parse-criteria.ts'
import { compileExport } from './compile-export.ts'
import type { ExportFormat } from './export-format.ts'
import { chooseFormat, exportFormatNames } from './export-formats.ts'
import type { ExportTask } from './export-task.ts'
import { planExport } from './plan-export.ts'
import { chooseEncoding, sendExport } from './send-export.ts'
import type { Cancel, ExportListener, ExportThreads } from './threads/export-threads.ts'

export type ExportDeps = {
  /** They have connections of their own, so exports never use those of other requests. */
  readonly threads: ExportThreads
  /** Maximum time in which the reader accepts no chunk, in milliseconds. */
  readonly stallMs: number
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly observe: Observe
  readonly timeZone: string
}

type Params = { Params: { entityType: string } }

const maxOffset = Number.MAX_SAFE_INTEGER
const readers = {
  limit: wholeNumber(1, 1_000_000_000),
  page: wholeNumber(1, 1_000_000_000),
  format: oneOf(...exportFormatNames),
  bom: flag,
  manifest: flag,
}

/** Mounts the export. */
export const exportRoutes =
  (deps: ExportDeps): Routes =>
  (server) => {
    server.post<Params>('/:entityType/export', async (request, reply) => {
      const caller = callerOf(request)
      refuseOldHttp(request)
      return answer(deps, request, reply, readRequest(deps, caller, request))
    })
  }

const saturated = (detail: string) =>
  apiError('request.saturated', detail, { headers: { 'Retry-After': '5' } })

/** Runs the task in a free slot; throws when all slots, or the caller's half of them, are used. */
const runIn = (
  { threads }: ExportDeps,
  { userId }: Caller,
  task: ExportTask,
  listener: ExportListener,
): Cancel => {
  const { atOnce, maxPerCaller } = threads
  const key = String(userId)
  if (threads.countOf(key) >= maxPerCaller)
    throw saturated(
      `You have ${maxPerCaller} of ${atOnce} exports running; one caller gets no more.`,
    )
  const cancel = threads.run(task, listener, key)
  if (!cancel) throw saturated(`${atOnce} exports are running.`)
  return cancel
}

/** Rejects every invalid request, before it uses a thread and a connection. */
const readRequest = (deps: ExportDeps, caller: Caller, request: FastifyRequest<Params>) => {
  const { catalog, permissions, timeZone } = deps
  const entity = permissions.entityFor(caller, request.params.entityType)
  const query = readQuery(request.query, readers)
  if (query.page !== undefined && query.limit === undefined)
    throw validationError('request.invalid', [{ path: 'page', message: 'needs a limit beside it' }])
  const format = chooseFormat(query.format, request.headers.accept)
  const criteria = readCriteria(request.body)
  const access = permissions.accessOf(caller)
  // The narrower of both permissions decides which records are exported.
  const exported = permissions.permit(caller, 'export', entity)
  const read = permissions.permit(caller, 'read', entity)
  const scope = exported === 'all' ? read : exported
  const offset = query.limit === undefined ? 0 : ((query.page ?? 1) - 1) * query.limit
  const page =
    query.limit === undefined
      ? undefined
      : { limit: query.limit, offset: Math.min(offset, maxOffset) }
  const plan = planExport({ catalog, entity, access, scope, criteria, page, timeZone })
  const { bom = false, manifest = false } = query
  return { entity, format, plan, timeZone, bom, manifest }
}

/** Over HTTP/1.0 an incomplete answer looks like a complete one. */
const refuseOldHttp = ({ raw }: FastifyRequest): void => {
  if (raw.httpVersion === '1.0')
    throw apiError('export.http-too-old', 'The request came by HTTP/1.0.', {
      headers: { Upgrade: 'HTTP/1.1', Connection: 'close, upgrade' },
    })
}

const readCriteria = (body: unknown): Criteria => {
  const criteria = parseCriteria(body)
  if (typeof body === 'object' && body !== null && '$count' in body)
    throw validationError('criteria.invalid', [
      {
        path: '$count',
        message: 'is for searches; an export with manifest=true tells how many rows it has',
      },
    ])
  return criteria
}

type ExportRequest = ReturnType<typeof readRequest>

const answer = (
  deps: ExportDeps,
  request: FastifyRequest<Params>,
  reply: FastifyReply,
  exported: ExportRequest,
) => {
  const { entity, format } = exported
  const begun = performance.now()
  const encoding = chooseEncoding(request.headers['accept-encoding'])?.name
  const withManifest = exported.manifest
  const task = compileExport({ ...exported, encoding, withDigest: withManifest })
  const named = { requestId: request.id, entity: entity.key, format: format.name }
  return sendExport({
    reply,
    stallMs: deps.stallMs,
    headers: headersOf(exported, encoding, withManifest),
    withManifest,
    run: (listener) => runIn(deps, callerOf(request), task, listener),
    onEnd: (outcome) => {
      if (outcome.kind !== 'exportEnded') deps.observe({ ...named, ...outcome })
      else deps.observe({ ...named, ...outcome, ms: performance.now() - begun })
    },
  })
}

const headersOf = (
  { entity, format, plan }: ExportRequest,
  encoding: string | undefined,
  withManifest: boolean,
) => ({
  'Content-Type': format.contentType,
  'Content-Disposition': `attachment; filename="${fileName(entity, format)}"`,
  'Cache-Control': 'no-store',
  Vary: 'Accept, Accept-Encoding',
  ...(plan.omitted.length > 0 && { 'X-Omitted-Columns': String(plan.omitted.length) }),
  ...(encoding && { 'Content-Encoding': encoding }),
  ...(withManifest && { Trailer: 'X-Row-Count, Digest' }),
})

const fileName = (entity: Entity, format: ExportFormat): string =>
  `${entity.key}-${new Date().toISOString().slice(0, 10)}.${format.extension}`
