/** Whether a comment that a delivery quotes is still there for its recipient, when it is composed. */
import type { Person } from '../../auth/caller.ts'
import {
  grantedBy,
  personOf,
  readableBy,
  type VisibilityDeps,
} from '../../auth/readable-records.ts'
import { type Queryable, queryRows } from '../../database/pool.ts'
import { int, notDeleted, sql, table, text } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { EventData } from './notification-event.ts'

/** Whether it is; true for what is not about a comment. */
export const mayReadComment = async (
  database: Queryable,
  deps: VisibilityDeps,
  { userId, roleKey }: Person,
  { entity, data }: { readonly entity: Entity; readonly data: EventData },
): Promise<boolean> => {
  const { comment_id: id, sight } = data
  if (id === undefined) return true
  const person = personOf(sql`p.id`, sql`p.role`)
  const reads = sight?.skips_rights ? sql`true` : readableBy(deps, entity, 't', person)
  const found = await queryRows(
    database,
    sql`
SELECT
FROM ${table('comment')} c
JOIN ${table(entity)} t ON t.id = c.entity_id
CROSS JOIN (SELECT ${int(userId)} AS id, ${text(roleKey)} AS role) p
WHERE c.id = ${int(id)} AND c.key = ${text(entity.key)} AND ${notDeleted('c')} AND ${reads}
  AND (NOT c.is_internal OR ${grantedBy(deps, 'internalComments', entity, 't', person)})`,
  )
  return found.length > 0
}
