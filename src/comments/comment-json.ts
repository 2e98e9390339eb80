/** Comments as answers have them, read from PostgreSQL and described for clients. */
import type { Queryable } from '../database/pool.ts'
import { isoTime, type Sql, sql, table } from '../database/sql.ts'
import { getEntity } from '../definitions/catalog.ts'
import { shownSchema } from '../definitions/field-types/files.ts'
import { component, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { mayBeNamed, namedUser, namedUserOr } from '../records/history.ts'
import type { CommentContext } from './comment-deps.ts'
import { filesIn } from './comment-files.ts'
import { mentionsIn, namesOf } from './mentions.ts'

export const commentOnRecord = component(
  'CommentOnRecord',
  objectOf({
    id: { type: 'integer' },
    parent_id: {
      type: ['integer', 'null'],
      description: 'The first comment of its thread; null: it is that itself.',
    },
    text: {
      type: ['string', 'null'],
      description: 'Plain text, with mentions as `@[7]`; null: it was removed.',
    },
    mentions: {
      type: 'array',
      description: 'The users whom the text mentions.',
      items: objectOf({ id: { type: 'integer' }, full_name: { type: ['string', 'null'] } }),
    },
    files: {
      type: 'array',
      description: 'In their order; none of a comment that was removed.',
      items: shownSchema,
    },
    is_internal: {
      type: 'boolean',
      description: 'Whether only users with the permission `internalComments` see it.',
    },
    is_removed: { type: 'boolean' },
    is_own: { type: 'boolean', description: 'Whether it is of the caller, who may change it.' },
    user: namedUserOr('Who wrote it. The name is null for callers who may not read the user.'),
    created_at: { type: 'string', format: 'date-time' },
    edited_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When its text was changed last.',
    },
    resolved_by: namedUserOr('Who has marked its thread as resolved.'),
    resolved_at: { type: ['string', 'null'], format: 'date-time' },
    _version: {
      type: 'integer',
      minimum: 1,
      description: 'The number of its entity tag: `"<number>"` is the value of `If-Match`.',
    },
  }),
)
export type CommentOnRecord = ValueOf<typeof commentOnRecord>

/** A comment as `commentColumns` read it. */
export type CommentRow = {
  readonly id: number
  readonly parent_id: number | null
  readonly text: string | null
  /** As JSON. */
  readonly files: string | null
  readonly is_internal: boolean
  readonly is_removed: boolean
  readonly user_id: number | null
  readonly user_name: string | null
  readonly created_at: string
  readonly edited_at: string | null
  readonly resolved_by_id: number | null
  readonly resolved_name: string | null
  readonly resolved_at: string | null
  readonly version: number
}

/** The columns of comments `t`, from a row source, as a statement selects them. */
export const commentColumns = sql`
      t.id, t.parent_id, CASE WHEN NOT t._is_deleted THEN t.text END AS text,
      CASE WHEN NOT t._is_deleted THEN t.files END AS files, t.is_internal,
      t._is_deleted AS is_removed, t._created_by AS user_id, u.full_name AS user_name,
      ${isoTime('t._created_at')} AS created_at, ${isoTime('t.edited_at')} AS edited_at,
      t.resolved_by_id, s.full_name AS resolved_name, ${isoTime('t.resolved_at')} AS resolved_at,
      t._version AS version`

/**
 * Joins to comments `t` the users of these columns whose names the caller may read. Few threads are resolved: OFFSET has
 * PostgreSQL look these users up, not read all users.
 */
export const joinNamed = ({ deps, caller }: Reader): Sql => {
  const people = getEntity(deps.catalog, 'user')
  const reader = { people, access: deps.permissions.accessOf(caller) }
  return sql`
    LEFT JOIN ${table('user')} u ON u.id = t._created_by AND ${mayBeNamed(reader, 'u')}
    LEFT JOIN LATERAL (
      SELECT s.full_name FROM ${table('user')} s
      WHERE s.id = t.resolved_by_id AND ${mayBeNamed(reader, 's')} OFFSET 0
    ) s ON true`
}

type Reader = Pick<CommentContext, 'deps' | 'caller'>

/** A comment as the caller may see it. */
export const showComment = async (
  database: Queryable,
  context: Reader,
  row: CommentRow,
): Promise<CommentOnRecord> =>
  shownOf(context, row, await namesOf(database, context, mentionedIn(row)))

/** Comments as the caller may see them; only what mentions users reads their names. */
export const showComments = async (
  database: Queryable,
  context: Reader,
  rows: readonly CommentRow[],
): Promise<readonly CommentOnRecord[]> => {
  const names = await namesOf(database, context, [...new Set(rows.flatMap(mentionedIn))])
  return rows.map((row) => shownOf(context, row, names))
}

const mentionedIn = ({ text }: CommentRow): readonly number[] => mentionsIn(text ?? '')

const shownOf = (
  { caller }: Reader,
  row: CommentRow,
  names: ReadonlyMap<number, string | null>,
): CommentOnRecord => ({
  id: row.id,
  parent_id: row.parent_id,
  text: row.text,
  mentions: mentionedIn(row)
    .filter((id) => names.has(id))
    .map((id) => ({ id, full_name: names.get(id) ?? null })),
  files: filesIn(row.files),
  is_internal: row.is_internal,
  is_removed: row.is_removed,
  is_own: row.user_id === caller.userId && !row.is_removed,
  user: namedUser(row.user_id, row.user_name),
  created_at: row.created_at,
  edited_at: row.edited_at,
  resolved_by: namedUser(row.resolved_by_id, row.resolved_name),
  resolved_at: row.resolved_at,
  _version: row.version,
})
