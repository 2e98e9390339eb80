/** Looks for the mark of a person in everything that a database holds. */
import { zstdDecompressSync } from 'node:zlib'
import type { TestService } from '../service.ts'
import { until } from '../wait.ts'

/** Questions to the database of a service. */
export const databaseOf = ({ database: { pool } }: Pick<TestService, 'database'>) => {
  const rowsOf = async (text: string, ...values: unknown[]) => (await pool.query(text, values)).rows

  /** Every table with rows that hold a text anywhere: as text, JSON, bytes or a compressed message. */
  const tablesWith = async (mark: string): Promise<readonly string[]> => {
    const tables = await rowsOf(
      `SELECT n.nspname || '.' || quote_ident(c.relname) AS name
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND c.relkind = 'r'`,
    )
    const hex = Buffer.from(mark).toString('hex')
    const found: string[] = []
    for (const { name } of tables) {
      const rows = await rowsOf(
        `SELECT FROM ${name} t WHERE to_jsonb(t)::text ILIKE $1 OR to_jsonb(t)::text LIKE $2`,
        `%${mark}%`,
        `%${hex}%`,
      )
      if (rows.length > 0) found.push(name)
    }
    for (const { content } of await rowsOf(
      `SELECT encode(content, 'base64') AS content FROM docket.sent_message`,
    ))
      if (zstdDecompressSync(Buffer.from(content, 'base64')).toString().includes(mark))
        found.push('sent_message.content')
    return found
  }

  /** Nothing waits or runs but jobs that have failed, and every e-mail is sent. */
  const settled = () =>
    until('all jobs are done and all e-mails are sent', async () => {
      const [row] = await rowsOf(
        `SELECT NOT EXISTS (SELECT FROM docket.job WHERE tries = 0 OR status = 'running')
           AND NOT EXISTS (SELECT FROM docket.delivery WHERE status <> 'sent') AS done`,
      )
      return row.done
    })
  return { rowsOf, tablesWith, settled }
}
