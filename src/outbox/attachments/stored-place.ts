/** Where the attachments of a delivery are stored, for administrators and for its recipient. */
import { audienceOf } from '../../auth/audience.ts'
import type { VisibilityDeps } from '../../auth/visibility.ts'
import { type Pool, queryRow } from '../../database/pool.ts'
import { anyOf, bigint, int, notDeleted, ref, type Sql, sql, table } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { nativeEntity } from '../../definitions/native-entities.ts'
import { compileScope } from '../../query/compile-select.ts'
import { activeUser } from '../../users/user-store.ts'

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
  /** Whether they had created or owned the record at the event. */
  readonly wasOwn: boolean
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
  if (!sent.showsHidden && audienceOf(deps, entity, sent) !== sent.audience) return undefined
  const record = await queryRow(
    deps.pool,
    sql`
SELECT
FROM ${table(entity)} t
WHERE t.id = ${int(sent.entityId)} AND NOT t._is_deleted AND ${isEntitled(deps, entity, sent)}`,
  )
  return record && sent
}

const findSent = (pool: Pool, deliveryId: number): Promise<Sent | undefined> =>
  queryRow<Sent>(
    pool,
    sql`
SELECT d.mailing_id AS "mailingId", d.audience, u.id AS "userId", coalesce(r.key, '') AS "roleKey",
  m.entity_key AS "entityKey", m.entity_id AS "entityId",
  coalesce((m.data->'sight'->>'shows_hidden')::boolean, false) AS "showsHidden",
  coalesce((m.data->'sight'->>'skips_rights')::boolean, false) AS "skipsRights",
  coalesce((m.data->'sight'->'record'->'')::jsonb @> to_jsonb(u.id), false) AS "wasOwn"
FROM docket.delivery d
JOIN docket.mailing m ON m.id = d.mailing_id
JOIN ${table('user')} u ON u.id = d.user_id
LEFT JOIN ${table('security_role')} r ON r.id = u.security_role_id AND ${notDeleted('r')}
WHERE d.id = ${bigint(deliveryId)} AND ${activeUser('u')}`,
  )

/** Whether the record `t` is one whose attachments the recipient may have. */
const isEntitled = ({ permissions }: RecipientCheckDeps, entity: Entity, sent: Sent): Sql => {
  if (sent.showsHidden) return sql`true`
  const scope = permissions.scopeOf(sent, 'read', entity)
  // Attachments for users who may not read the record contain only what is the same for everybody.
  const showsNothing = scope === 'none' || (scope !== 'all' && !sent.wasOwn)
  if (sent.skipsRights && showsNothing) return sql`true`
  const isReadable = compileScope(scope, entity.hasOwner, 't')
  const entitled = (nativeEntity(entity).entitled ?? []).flatMap((key) => {
    const column = entity.associations.get(key)
    return column ? [sql`${ref(column.name, 't')} = ${int(sent.userId)}`] : []
  })
  return anyOf([isReadable, ...entitled])
}
