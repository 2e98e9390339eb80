/** Where the attachments of a delivery are stored, for administrators and for its recipient. */
import { audienceOf } from '../../auth/audience.ts'
import { entitledOrReadableBy, type VisibilityDeps } from '../../auth/visibility.ts'
import { type Pool, queryRow } from '../../database/pool.ts'
import { bigint, int, notDeleted, sql, table, text } from '../../database/sql.ts'
import { activeUser, userRoleKeys } from '../../users/user-store.ts'

/** What the check of a recipient needs. */
export type RecipientCheckDeps = VisibilityDeps & { readonly pool: Pool }

type Place = { readonly mailingId: number; readonly audience: string }

/** Where the attachments of a delivery are. */
export const findStoredPlace = (pool: Pool, deliveryId: number): Promise<Place | undefined> =>
  queryRow<Place>(
    pool,
    sql`
SELECT mailing_id AS "mailingId", audience
FROM docket.delivery
WHERE id = ${bigint(deliveryId)}`,
  )

type Sent = Place & {
  readonly userId: number
  readonly roleKey: string
  readonly entityKey: string
  readonly entityId: number
  readonly showsHidden: boolean
  /** Its rule also notifies users who may not read the record. */
  readonly skipsRights: boolean
}

/**
 * The same for the recipient, as long as they are active, the record exists, they may have what the e-mail
 * shows of it, and their role may still read what the attachments show.
 */
export const findForRecipient = async (
  deps: RecipientCheckDeps,
  deliveryId: number,
): Promise<Place | undefined> => {
  const sent = await findSent(deps.pool, deliveryId)
  const entity = sent && deps.catalog.entities.get(sent.entityKey)
  if (!entity) return undefined
  const person = { user: int(sent.userId), role: text(sent.roleKey) }
  const record = await queryRow<{ mayRead: boolean | null }>(
    deps.pool,
    sql`
SELECT ${entitledOrReadableBy(deps, entity, 't', person)} AS "mayRead"
FROM ${table(entity)} t
WHERE t.id = ${int(sent.entityId)} AND NOT t._is_deleted`,
  )
  if (!record) return undefined
  if (sent.showsHidden) return sent
  const mayRead = record.mayRead === true
  // Attachments for users who may not read the record contain only what is the same for everybody.
  const isTheirs = audienceOf(deps, entity, sent, mayRead) === sent.audience
  return isTheirs && (mayRead || sent.skipsRights) ? sent : undefined
}

const findSent = (pool: Pool, deliveryId: number): Promise<Sent | undefined> =>
  queryRow<Sent>(
    pool,
    sql`
SELECT d.mailing_id AS "mailingId", d.audience, u.id AS "userId", coalesce(${userRoleKeys}, '') AS "roleKey",
  m.entity_key AS "entityKey", m.entity_id AS "entityId",
  coalesce((m.data->'sight'->>'shows_hidden')::boolean, false) AS "showsHidden",
  coalesce((m.data->'sight'->>'skips_rights')::boolean, false) AS "skipsRights"
FROM docket.delivery d
JOIN docket.mailing m ON m.id = d.mailing_id
JOIN ${table('user')} u ON u.id = d.user_id
LEFT JOIN ${table('security_role')} r ON r.id = u.security_role_id AND ${notDeleted('r')}
WHERE d.id = ${bigint(deliveryId)} AND ${activeUser('u')}`,
  )
