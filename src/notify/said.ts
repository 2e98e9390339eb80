/** What comments say that users are notified of, when they are notified. */
import { largestId, mentionsIn } from '../comments/mentions.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { ints, notDeleted, sql, table } from '../database/sql.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'

export type SaidNow = {
  readonly text: string
  readonly isInternal: boolean
  /** Of the users whom it mentions, by id. */
  readonly names: Readonly<Record<string, string>>
}

type Row = { readonly id: number; readonly text: string; readonly is_internal: boolean }

/** Reads the comments of messages; those that were removed are left out. */
export const readSaid = async (
  database: Queryable,
  messages: readonly ChangeMessage[],
): Promise<(message: ChangeMessage) => SaidNow | undefined> => {
  const ids = messages.flatMap(({ said }) => said?.comment_id ?? [])
  const rows =
    ids.length === 0
      ? []
      : await queryRows<Row>(
          database,
          sql`
SELECT t.id, t.text, t.is_internal
FROM ${table('comment')} t
WHERE t.id = ANY (${ints(ids)}) AND ${notDeleted('t')}`,
        )
  const known = new Map(rows.map((row) => [row.id, row]))
  const textOf = ({ said }: ChangeMessage) =>
    said?.comment_id
      ? known.get(said.comment_id)
      : said && { text: '', is_internal: false, ...said }
  const names = await namesIn(
    database,
    messages.map((one) => textOf(one)?.text ?? ''),
  )
  return (message) => {
    const found = textOf(message)
    return found && { text: found.text, isInternal: found.is_internal, names }
  }
}

/** The names of all users whom texts mention. */
const namesIn = async (
  database: Queryable,
  texts: readonly string[],
): Promise<Readonly<Record<string, string>>> => {
  const ids = new Set(texts.flatMap(mentionsIn).filter((id) => id <= largestId))
  if (ids.size === 0) return {}
  const rows = await queryRows<{ readonly id: number; readonly full_name: string | null }>(
    database,
    sql`SELECT u.id, u.full_name FROM ${table('user')} u WHERE u.id = ANY (${ints([...ids])})`,
  )
  return Object.fromEntries(rows.map(({ id, full_name: name }) => [id, name ?? '…']))
}
