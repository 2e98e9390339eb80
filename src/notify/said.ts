/** What comments say that users are notified of, when they are notified. */
import { filesIn } from '../comments/comment-files.ts'
import { largestId, mentionsIn } from '../comments/mentions.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { ints, notDeleted, sql, table } from '../database/sql.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'
import { builtInTexts } from '../templates/built-in-texts.ts'

export type SaidNow = {
  readonly text: string
  /** The names of its files. */
  readonly files: readonly string[]
  readonly isInternal: boolean
  /** Of the users whom it mentions, by id. */
  readonly names: Readonly<Record<string, string>>
}

/** What is told of it, in a language: its text, and below that the names of its files. */
export const toldText = ({ text, files }: SaidNow, locale: string | undefined): string =>
  files.length === 0
    ? text
    : `${text}\n\n${builtInTexts(locale).filesOfComment} ${files.join(', ')}`

type Row = {
  readonly id: number
  readonly text: string
  readonly files: string | null
  readonly is_internal: boolean
}

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
SELECT t.id, t.text, t.files, t.is_internal
FROM ${table('comment')} t
WHERE t.id = ANY (${ints(ids)}) AND ${notDeleted('t')}`,
        )
  const known = new Map(rows.map((row) => [row.id, row]))
  const textOf = ({ said }: ChangeMessage) =>
    said?.comment_id
      ? known.get(said.comment_id)
      : said && { text: '', files: null, is_internal: false, ...said }
  const names = await namesIn(
    database,
    messages.map((one) => textOf(one)?.text ?? ''),
  )
  return (message) => {
    const found = textOf(message)
    if (!found) return undefined
    const files = filesIn(found.files).map(({ filename }) => filename)
    return { text: found.text, files, isInternal: found.is_internal, names }
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
