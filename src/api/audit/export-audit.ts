/** The audit as a file, which is read and sent a page at a time: CSV for people, JSON lines for programs. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf, recordDone } from '../../audit/record-audit.ts'
import { authorOf, type Caller } from '../../auth/caller.ts'
import { readPart } from '../../database/request-context.ts'
import { csvLine } from '../../export/formats/csv.ts'
import { dispositionOf, fileName } from '../../http/file-name.ts'
import type { Observe } from '../../observations.ts'
import type { RecordDeps } from '../../records/record-request.ts'
import type { AuditEntry } from './audit-schemas.ts'
import { type AuditFilter, readAudit, readPlace } from './read-audit.ts'

export type AuditDeps = RecordDeps & { readonly observe: Observe }

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

export const fileFormats = ['csv', 'ndjson'] as const
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

/** Its lines; at the end, whoever ends it, it is an event of the audit itself. */
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
export const sendAudit = (
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
