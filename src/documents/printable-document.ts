/** Printable documents in the database. */
import { type Queryable, queryRow, queryValues } from '../database/pool.ts'
import { int, notDeleted, nothing, sql, table, text } from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import type { RecordScope } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'

export type PrintableDocument = {
  readonly code: string
  readonly name: string
  readonly entity_key: string
  /** A path under `printable-documents/`; it takes precedence over the source. */
  readonly template_file: string | null
  readonly template_source: string | null
}

const documents = table('printable_document')
const columns = sql`code, name, entity_key, template_file, template_source`

/** The document of a code, unless it was removed. */
export const findDocument = async (
  database: Queryable,
  code: string,
): Promise<PrintableDocument | undefined> => {
  // PostgreSQL rejects a NUL in a parameter.
  if (code.includes('\0')) return undefined
  const select = sql`SELECT ${columns} FROM ${documents} WHERE code = ${text(code)} AND NOT _is_deleted`
  return queryRow<PrintableDocument>(database, select)
}

type DocumentName = { readonly code: string; readonly name: string }

type Listed = { readonly is_readable: boolean; readonly documents: string }

/** The documents of an entity by name, for a record in a scope; undefined if there is no such record. */
export const listDocuments = async (
  database: Queryable,
  { entity, id, scope }: { entity: Entity; id: number; scope: RecordScope },
): Promise<readonly DocumentName[] | undefined> => {
  const select = sql`
    SELECT EXISTS (
        SELECT FROM ${table(entity)} t
        WHERE t.id = ${int(id)} AND ${notDeleted('t')} AND ${compileScope(scope, entity.hasOwner, 't')}
      ) AS is_readable,
      (
        SELECT coalesce(
          json_agg(json_build_object('code', d.code, 'name', d.name) ORDER BY d.name, d.code), '[]'
        )::text
        FROM (
          SELECT code, name
          FROM ${documents}
          WHERE entity_key = ${text(entity.key)} AND NOT _is_deleted
          ORDER BY name, code
          LIMIT ${int(maxListed)}
        ) d
      ) AS documents`
  const row = await queryRow<Listed>(database, select)
  return row?.is_readable ? JSON.parse(row.documents) : undefined
}

// A person chooses among them.
const maxListed = 100

/** Codes of all documents, or of those of an entity, to suggest the closest one. */
export const listCodes = async (
  database: Queryable,
  entity?: Entity,
): Promise<readonly string[]> => {
  const ofEntity = entity ? sql`AND entity_key = ${text(entity.key)}` : nothing
  const select = sql`SELECT code FROM ${documents} WHERE NOT _is_deleted ${ofEntity} ORDER BY code LIMIT 1000`
  return queryValues<string>(database, select)
}
