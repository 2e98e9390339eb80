/** Printable documents in the database. */
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { sql, table, text } from '../database/sql.ts'

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

/** Codes of all documents, to suggest the closest one. */
export const listCodes = async (database: Queryable): Promise<readonly string[]> => {
  const select = sql`SELECT code FROM ${documents} WHERE NOT _is_deleted ORDER BY code LIMIT 1000`
  const rows = await queryRows<{ code: string }>(database, select)
  return rows.map(({ code }) => code)
}
