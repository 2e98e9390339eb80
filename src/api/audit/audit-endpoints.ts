/** The audit over HTTP, for administrators and roles with the permission `audit` (docs/audit.md). */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf, recordDone } from '../../audit/record-audit.ts'
import { authorOf, type Caller } from '../../auth/caller.ts'
import { readPart } from '../../database/request-context.ts'
import { parseTimestamp } from '../../definitions/values/timestamps.ts'
import { validationError } from '../../errors.ts'
import { csvLine } from '../../export/formats/csv.ts'
import { type ApiSection, endpoint } from '../../http/endpoint/endpoint.ts'
import {
  integer,
  maxRecordId,
  oneOf,
  type Parameter,
  text,
} from '../../http/endpoint/parameters.ts'
import { dispositionOf, fileName } from '../../http/file-name.ts'
import { json, objectOf, textOrNull } from '../../http/openapi/operation.ts'
import type { Observe } from '../../observations.ts'
import type { RecordDeps } from '../../records/record-request.ts'
import {
  type AuditEntry,
  type AuditFilter,
  auditEntry,
  entryKinds,
  readAudit,
  readPlace,
} from './read-audit.ts'

// The audit as a file, which is read and sent a page at a time: CSV for people, JSON lines for programs.

type AuditDeps = RecordDeps & { readonly observe: Observe }

const columns: readonly (readonly [name: string, value: (entry: AuditEntry) => unknown])[] = [
  ['at', ({ at }) => at],
  ['kind', ({ kind }) => kind],
  ['user_id', ({ user }) => user?.id],
  ['user', ({ user }) => user?.full_name],
  ['acting_user_id', ({ acting_user: acting }) => acting?.id],
  ['acting_user', ({ acting_user: acting }) => acting?.full_name],
  ['about_user_id', ({ about_user: about }) => about?.id],
  ['about_user', ({ about_user: about }) => about?.full_name],
  ['entity', ({ entity }) => entity],
  ['entity_id', ({ entity_id: id }) => id],
  ['task_id', ({ task_id: id }) => id],
  ['part', ({ part }) => part],
  ['session_id', ({ session_id: id }) => id],
  ['address', ({ address }) => address],
  ['user_agent', ({ user_agent: agent }) => agent],
  ['times', ({ times }) => times],
  ['detail', ({ detail }) => detail],
  ['changes', ({ changes }) => changes],
  ['action', ({ action }) => action],
  ['comment', ({ comment }) => comment],
]

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

type Format = {
  readonly type: string
  readonly extension: string
  readonly head: string
  readonly line: (entry: AuditEntry) => string
}

const fileFormats = ['csv', 'ndjson'] as const
type FormatName = (typeof fileFormats)[number]

const formats: Readonly<Record<FormatName, Format>> = {
  csv: {
    type: 'text/csv; charset=utf-8',
    extension: 'csv',
    head: csvLine(columns.map(([name]) => name)),
    line: (entry) => csvLine(columns.map(([, value]) => cell(value(entry)))),
  },
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    extension: 'ndjson',
    head: '',
    line: (entry) => `${JSON.stringify(entry)}\n`,
  },
}

const pageSize = 500

type Wanted = {
  readonly caller: Caller
  readonly filter: AuditFilter
  readonly format: FormatName
  readonly request: FastifyRequest
}

const readPage = (
  deps: AuditDeps,
  { caller, filter, request: { database } }: Wanted,
  next: string | undefined,
) => {
  const after = next === undefined ? undefined : readPlace(next)
  return readPart(database, () =>
    deps.read((pool) => readAudit({ ...deps, pool }, caller, filter, { after, limit: pageSize })),
  )
}

/** Its lines. When it ends, also by an error, it is an event of the audit itself. */
async function* linesOf(deps: AuditDeps, wanted: Wanted): AsyncGenerator<string> {
  const { caller, format, request } = wanted
  const { head, line } = formats[format]
  let rows = 0
  let state = 'cancelled'
  try {
    if (head !== '') yield head
    for (let next: string | null | undefined; next !== null; ) {
      const page = await readPage(deps, wanted, next)
      rows += page.data.length
      if (page.data.length > 0) yield page.data.map(line).join('')
      next = page.next
    }
    state = 'ended'
  } finally {
    const detail = { what: 'audit', format, state, rows }
    recordDone(deps, { kind: 'export', by: authorOf(caller), origin: originOf(request), detail })
  }
}

/** After an error the connection is closed before the end of the file. */
const sendAudit = (
  deps: AuditDeps,
  { reply, ...wanted }: Wanted & { readonly reply: FastifyReply },
): FastifyReply => {
  const { type, extension } = formats[wanted.format]
  const name = fileName(['audit', new Date().toISOString().slice(0, 10)], extension)
  return reply
    .type(type)
    .header('Cache-Control', 'no-store')
    .header('Content-Disposition', dispositionOf('attachment', name))
    .send(Readable.from(linesOf(deps, wanted), { objectMode: false, encoding: 'utf8' }))
}

const time = (description: string): Parameter<string, undefined> => ({
  description,
  schema: { type: 'string', format: 'date-time' },
  absent: undefined,
  read: (given) =>
    parseTimestamp(given, 'UTC') ?? { issue: 'must be a time, such as 2026-05-04T08:30:00Z' },
})

const filters = {
  user: integer({ min: 1, max: maxRecordId, description: 'Who did it, or whom it concerns.' }),
  kind: oneOf(entryKinds, { description: 'Only entries of this kind.' }),
  entity: text('Key of the entity.', { maxLength: 63, pattern: '^[a-z][a-z0-9_]*$' }),
  record: integer({ min: 1, max: maxRecordId, description: 'Id of the record; with `entity`.' }),
  from: time('Not before this time; without an offset in UTC.'),
  to: time('Before this time.'),
}

/** An entity may have been removed from the definitions: its entries are still there. */
const readFilter = (filter: AuditFilter): AuditFilter => {
  const issues = [
    ...(filter.record !== undefined && filter.entity === undefined
      ? [{ path: 'record', message: 'is only accepted with `entity`' }]
      : []),
    ...(filter.entity !== undefined && !/^[a-z][a-z0-9_]{0,62}$/.test(filter.entity)
      ? [{ path: 'entity', message: 'must be the key of an entity' }]
      : []),
  ]
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return filter
}

const common = { tag: 'Audit', who: 'caller', errors: ['caller.forbidden'] } as const
const forWhom = 'For administrators and roles with the permission `audit`.'

const listAudit = endpoint({
  ...common,
  method: 'get',
  path: '/api/audit',
  id: 'listAudit',
  summary: 'Who did what, and when: records, sign-ins, credentials, exports and definitions',
  description: `The newest first. ${forWhom} Values of fields are those that the caller may read.`,
  query: {
    ...filters,
    limit: integer({ min: 1, max: 200, default: 50, description: 'Entries of one page.' }),
    after: text('`next` of the page before.', { maxLength: 60 }),
  },
  answers: {
    200: json(
      'One page. `next` is null on the last one.',
      objectOf({
        data: { type: 'array', items: auditEntry },
        next: textOrNull,
      }),
    ),
  },
  handle: ({ caller, query }, deps: AuditDeps) => {
    deps.permissions.permitAudit(caller)
    const { limit, after: given, ...filter } = query
    const after = given === undefined ? undefined : readPlace(given)
    if (given !== undefined && !after)
      throw validationError('request.invalid', [
        { path: 'after', message: 'is not a `next` of a page; begin again without it' },
      ])
    return deps.read((pool) =>
      readAudit({ ...deps, pool }, caller, readFilter(filter), { after, limit }),
    )
  },
})

const exportAudit = endpoint({
  ...common,
  method: 'post',
  path: '/api/audit/export',
  id: 'exportAudit',
  summary: 'Export the audit as CSV or JSON lines',
  description: `All entries that the filters match, the newest first. ${forWhom} The export is an event of the audit itself. After an error the connection is closed before the end.`,
  query: {
    ...filters,
    format: oneOf(fileFormats, { description: 'Of the file; by default `csv`.' }),
  },
  answers: {
    200: {
      description: 'The entries.',
      content: {
        'text/csv': { schema: { type: 'string' } },
        'application/x-ndjson': { schema: { type: 'string' } },
      },
    },
  },
  handle: ({ caller, query, request, reply }, deps: AuditDeps) => {
    deps.permissions.permitAudit(caller)
    const { format = 'csv', ...given } = query
    return sendAudit(deps, { caller, request, reply, format, filter: readFilter(given) })
  },
})

/** /api/audit. */
export const auditSection: ApiSection<AuditDeps> = {
  tags: [{ name: 'Audit', description: 'Who did what, and when.' }],
  endpoints: [listAudit, exportAudit],
}
