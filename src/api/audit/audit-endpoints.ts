/** The audit over HTTP, for administrators and roles with the permission `audit` (docs/audit.md). */
import { parseTimestamp } from '../../definitions/values/timestamps.ts'
import { validationError } from '../../errors.ts'
import { type ApiSection, endpoint } from '../../http/endpoint/endpoint.ts'
import {
  integer,
  maxRecordId,
  oneOf,
  type Parameter,
  text,
} from '../../http/endpoint/parameters.ts'
import { json, objectOf } from '../../http/openapi/operation.ts'
import { auditEntry, entryKinds } from './audit-schemas.ts'
import { type AuditDeps, fileFormats, sendAudit } from './export-audit.ts'
import { type AuditFilter, readAudit, readPlace } from './read-audit.ts'

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
        next: { type: ['string', 'null'] },
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
