/** `POST /<entity>/export`: request, criteria, plan, task, answer (docs/export.md). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf } from '../audit/record-audit.ts'
import { authorOf, type Caller } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import {
  type CsvDialect,
  chosenDialect,
  csvDialects,
  csvEncodings,
  dateForms,
  decimalMarks,
  namesOf,
  quotings,
  separators,
} from '../definitions/values/rules/csv-dialects.ts'
import { apiError, saturated, validationError } from '../errors.ts'
import {
  type LanguageDeps,
  localizedFor,
  namesLanguage,
  regionalFor,
} from '../http/endpoint/answer-language.ts'
import { parsedBody } from '../http/endpoint/body.ts'
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { flag, integer, oneOf, optionalFlag, type Values } from '../http/endpoint/parameters.ts'
import { dispositionOf, fileName } from '../http/file-name.ts'
import { criteriaExamples } from '../http/openapi/criteria-schema.ts'
import { schemaRef } from '../http/openapi/operation.ts'
import type { Observe } from '../observations.ts'
import type { RecordScope } from '../query/access.ts'
import type { Criteria } from '../query/criteria/criteria.ts'
import { parseCriteria } from '../query/criteria/parse-criteria.ts'
import { beginSpan } from '../spans.ts'
import { compileExport } from './compile-export.ts'
import { exportContent, exportHeaders } from './describe-export.ts'
import { chooseEncoding } from './encodings.ts'
import type { ExportFormat } from './export-format.ts'
import { chooseFormat, exportFormatNames } from './export-formats.ts'
import { type ExportRuns, type RunDeps, runEndpoint, type Tally } from './export-runs.ts'
import type { ExportTarget, ExportTask } from './export-task.ts'
import {
  type Cancel,
  type ExportListener,
  type ExportThreads,
  runOnTargets,
} from './export-threads.ts'
import { type ExportPlan, planExport } from './plan-export.ts'
import { sendExport } from './send-export.ts'

/** Reads the body; throws criteria.invalid. */
const readCriteria = (body: unknown): Criteria => {
  const criteria = parseCriteria(body, 'rows')
  if (typeof body === 'object' && body !== null && '$count' in body)
    throw validationError('criteria.invalid', [
      {
        path: '$count',
        message: 'is only for searches; an export with manifest=true returns its number of rows',
      },
    ])
  return criteria
}

type ExportDeps = LanguageDeps & {
  /** With separate connections, so that exports never take those of other requests. */
  readonly threads: ExportThreads
  /** Where an export of the current request may run, the best first; the last is the primary. */
  readonly exportTargets: () => readonly ExportTarget[]
  /** Maximum time in which the client accepts no chunk, in milliseconds. */
  readonly stallMs: number
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly observe: Observe
  readonly runs: ExportRuns
  readonly timeZone: string
}

const maxRows = { min: 1, max: 1_000_000_000 }
const query = {
  limit: integer({ ...maxRows, description: 'Records to give; without it all of them.' }),
  page: integer({
    ...maxRows,
    description: 'Number of the page of `limit` records, from 1; needs `limit`.',
  }),
  format: oneOf(exportFormatNames, { description: 'Goes before the header `Accept`.' }),
  dialect: oneOf(namesOf(csvDialects), {
    description:
      'How CSV is written: `standard`, or as Excel opens it with a double click on a computer of such a language; by default as `csv` of docket.json says, else `standard`. The parameters `separator`, `decimal`, `dates`, `encoding`, `bom` and `quoting` change parts of it.',
  }),
  separator: oneOf(namesOf(separators), {
    description:
      'What stands between the fields of CSV. With `semicolon`, decimals have a comma (`12,50`) and with `comma` a point, unless `decimal` says otherwise.',
  }),
  decimal: oneOf(namesOf(decimalMarks), {
    description: 'What stands before the fraction of decimals in CSV.',
  }),
  dates: oneOf(dateForms, {
    description:
      'How CSV writes days; with all but `iso`, times are those of the time zone of the service, which the headers name.',
  }),
  encoding: oneOf(namesOf(csvEncodings), {
    description:
      'The encoding of CSV. If a character is not in `windows-1252` or `windows-1250`, the answer is a 422 and there is no file.',
  }),
  bom: optionalFlag('CSV in UTF-8 begins with a byte order mark; UTF-16 always does.'),
  quoting: oneOf(quotings, {
    description: 'Which fields of CSV are quoted: those that need it, or all that have a value.',
  }),
  names: flag(
    'For people: choices and steps by their names, and columns without a label by the names of their fields, in the language of `Accept-Language`.',
  ),
  escapeFormulas: optionalFlag(
    'CSV has text that a spreadsheet would treat as a formula with an apostrophe, or as it is stored. By default as `exportSettings` says.',
  ),
  manifest: flag('The answer ends with the trailers `X-Row-Count` and `Digest`.'),
}

const exportRecords = entityEndpoint({
  verb: 'export',
  method: 'post',
  path: '/export',
  right: 'export',
  summary: (entity) => `Export “${entity.name}” as CSV, Excel, JSON or Parquet`,
  description:
    'Streams every record that the criteria match, from one snapshot. After an error during the export the connection is closed, so that an incomplete file cannot be mistaken for a complete one. The format comes from `format`, else from `Accept`, else it is CSV.',
  query,
  headers: { acceptLanguage: namesLanguage },
  body: parsedBody(
    ({ entity }) => ({ schema: schemaRef('ExportCriteria'), examples: criteriaExamples(entity) }),
    { isRequired: false },
  ),
  errors: [
    'criteria.invalid',
    'export.not-acceptable',
    'export.cell-too-long',
    'export.not-encodable',
    'export.http-too-old',
  ],
  answers: ({ catalog, entity }) => ({
    200: {
      description: 'The records, in the columns of the definition’s `exportSettings`.',
      headers: [...Object.keys(exportHeaders), 'Content-Language'],
      content: exportContent(catalog, entity),
    },
  }),
  handle: (call, deps: ExportDeps) => {
    refuseOldHttp(call.request)
    // Before anything else is done for it: of many at the same time most are refused.
    refuseBeyondShare(deps, call.caller)
    return answer(deps, call, readRequest(deps, call))
  },
})

export const exportSection: ApiSection<ExportDeps & RunDeps> = {
  tags: [{ name: 'Exports', description: 'How the exports of the caller ended.' }],
  endpoints: [exportRecords, runEndpoint],
  headers: exportHeaders,
}

/** An error if the caller already runs as many exports as their share allows. */
const refuseBeyondShare = ({ threads }: ExportDeps, { userId }: Caller): void => {
  const running = threads.countOf(String(userId))
  if (running >= threads.shareOf(String(userId)))
    throw saturated(
      `You have ${running} of ${threads.atOnce} exports running; that is the maximum while others export too.`,
    )
}

/** Runs the task in a thread; an error if no slot is free. */
const runIn = (
  { threads, exportTargets }: ExportDeps,
  { userId }: Caller,
  task: ExportTask,
  listener: ExportListener,
  onMoved: (error: Error) => void,
): Cancel => {
  const cancel = runOnTargets({
    targets: exportTargets(),
    listener,
    onMoved,
    run: (target, part) => threads.run(task, part, String(userId), target),
  })
  if (!cancel) throw saturated(`${threads.atOnce} exports are running.`)
  return cancel
}

type ExportCall = {
  readonly caller: Caller
  readonly entity: Entity
  /** The records that the permission `export` covers. */
  readonly scope: RecordScope
  readonly query: Values<typeof query>
  readonly headers: { readonly acceptLanguage: string | undefined }
  readonly body: unknown
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Every check that can reject the request is here, before a thread and a connection are taken. */
const readRequest = (deps: ExportDeps, call: ExportCall) => {
  const { permissions, timeZone } = deps
  const { caller, request } = call
  const { limit, page, names, escapeFormulas, manifest } = call.query
  if (page !== undefined && limit === undefined)
    throw validationError('request.invalid', [
      { path: 'page', message: 'is accepted only together with `limit`' },
    ])
  const format = chooseFormat(call.query.format, request.headers.accept)
  const criteria = readCriteria(call.body)
  const access = permissions.accessOf(caller)
  // A file for machines is the same in every language.
  const { catalog, language } = names
    ? localizedFor(deps, call.headers.acceptLanguage)
    : { catalog: deps.catalog, language: undefined }
  const locale =
    (names ? regionalFor(call.headers.acceptLanguage) : undefined) ?? deps.catalog.locale
  const entity = getEntity(catalog, call.entity.key)
  // The narrower of both permissions decides which records are exported.
  const read = permissions.permit(caller, 'read', entity)
  const scope = call.scope === 'all' ? read : call.scope
  const rows = limit === undefined ? undefined : rowsOf(limit, page)
  const plan = planExport({
    catalog,
    entity,
    access,
    scope,
    criteria,
    timeZone,
    page: rows,
    isNamed: names,
  })
  return {
    entity,
    format,
    plan,
    timeZone,
    locale,
    language,
    csv: chosenDialect(call.query, chosenDialect(deps.catalog.csv ?? {})),
    escapeFormulas,
    manifest,
  }
}

const rowsOf = (limit: number, page = 1) => ({
  limit,
  offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
})

/** Over HTTP/1.0 an interrupted response ends like a complete one. */
const refuseOldHttp = ({ raw }: FastifyRequest): void => {
  if (raw.httpVersion === '1.0')
    throw apiError('export.http-too-old', 'The request came by HTTP/1.0.', {
      headers: { Upgrade: 'HTTP/1.1', Connection: 'close, upgrade' },
    })
}

type ExportRequest = ReturnType<typeof readRequest>

const answer = (
  deps: ExportDeps,
  { caller, request, reply }: ExportCall,
  wanted: ExportRequest,
) => {
  const { entity, format, manifest: withManifest } = wanted
  const begun = performance.now()
  const encoding = chooseEncoding(request.headers['accept-encoding'])?.name
  const task = compileExport({ ...wanted, encoding, withDigest: withManifest })
  const named = { requestId: request.id, entity: entity.key, format: format.name }
  const tally: Tally = { rows: 0, bytes: 0, fileDigest: undefined }
  const attributes = { 'docket.entity': entity.key, 'docket.export.format': format.name }
  const span = beginSpan({ name: 'export', kind: 'internal', attributes })
  const audited = {
    kind: 'export',
    by: authorOf(caller),
    entityKey: entity.key,
    origin: originOf(request),
    detail: { format: format.name, columns: wanted.plan.columns.map(({ path }) => path) },
  } as const
  const begunRun = { ...named, userId: caller.userId, entityKey: entity.key, audited }
  const run = deps.runs.begin(begunRun, tally)
  return sendExport({
    reply,
    tally,
    stallMs: deps.stallMs,
    headers: answerHeaders(wanted, encoding),
    withManifest,
    run: (listener) =>
      runIn(deps, caller, task, listener, (error) =>
        deps.observe({ kind: 'exportMoved', ...named, error }),
      ),
    onEnd: (outcome) => {
      run.end(runStateOf[outcome.kind])
      const error = outcome.kind === 'exportEnded' ? undefined : outcome.kind
      span?.end({ attributes: { 'docket.export.rows': outcome.rows }, error })
      if (outcome.kind !== 'exportEnded') deps.observe({ ...named, ...outcome })
      else deps.observe({ ...named, ...outcome, ms: performance.now() - begun })
    },
  }).catch((error: unknown) => {
    run.refuse()
    span?.end({ error })
    throw error
  })
}

const runStateOf = {
  exportEnded: 'ended',
  exportAborted: 'failed',
  exportCut: 'failed',
  exportLeft: 'cancelled',
} as const

type Answered = {
  readonly entity: Entity
  readonly format: ExportFormat
  readonly csv: CsvDialect
  readonly plan: Pick<ExportPlan, 'omitted'>
  readonly timeZone: string
  readonly manifest: boolean
  /** Of the names; undefined for a file that has none. */
  readonly language: string | undefined
}

/** What the answer says of its file. */
const answerHeaders = (
  { entity, format, csv, plan, timeZone, manifest, language }: Answered,
  encoding: string | undefined,
) => ({
  'Content-Type': format.contentTypeOf?.(csv) ?? format.contentType,
  'Content-Disposition': dispositionOf('attachment', nameOf(entity, format, timeZone)),
  'Cache-Control': 'no-store',
  Vary: language ? 'Accept, Accept-Encoding, Accept-Language' : 'Accept, Accept-Encoding',
  ...(language && { 'Content-Language': language }),
  ...(plan.omitted.length > 0 && { 'X-Omitted-Columns': String(plan.omitted.length) }),
  ...(encoding && { 'Content-Encoding': encoding }),
  ...(manifest && { Trailer: 'X-Row-Count, Digest' }),
})

/** What people call the records, and the day in the time zone of the project. */
const nameOf = (entity: Entity, format: ExportFormat, timeZone: string): string => {
  // Swedish dates are those of ISO 8601.
  const day = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format()
  return fileName([entity.pluralName, day], format.extension)
}
