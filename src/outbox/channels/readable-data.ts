/** What the recipient of a delivery may read of its event when it is composed. */
import type { Person } from '../../auth/caller.ts'
import {
  grantedBy,
  personOf,
  readableBy,
  type VisibilityDeps,
} from '../../auth/readable-records.ts'
import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, notDeleted, sql, table, text } from '../../database/sql.ts'
import { type Catalog, type Entity, languageOf, namedEntity } from '../../definitions/catalog.ts'
import type { TakenAction } from '../../definitions/notification-rules.ts'
import type { ChannelOptions } from '../channel.ts'
import type { TakenDelivery } from '../delivery.ts'
import { DeliveryError, NothingToSend } from '../delivery.ts'
import {
  dataFor,
  type EventData,
  type EventReader,
  readReach,
} from '../events/notification-event.ts'
import { choiceNamesOf, describeAction, printableRecord } from '../events/printable-record.ts'

/**
 * The recipient, with what they may read at this moment. Throws NothingToSend if the comment that it is about was removed, a
 * DeliveryError if they may not read it.
 */
export const readerFor = async (
  options: ChannelOptions,
  { user_id: userId, role_key: roleKey, entity_id: entityId, data }: TakenDelivery,
  entity: Entity | undefined,
): Promise<EventReader> => {
  const person = { userId, roleKey }
  if (entity) await requireComment(options.pool, options, person, { entity, data })
  if (!entity || data.sight?.shows_hidden === true) return { ...person, reach: noReach }
  return readReach(options.pool, options, person, { entity, entityId, data })
}

const noReach = { record: new Set<string>(), actor: new Set<string>() }

/** The data of its templates besides the recipient, with the names of the catalog that they read. */
export const readableData = (
  deps: VisibilityDeps,
  delivery: TakenDelivery,
  { entity, reader, catalog }: Readable,
): object => {
  const data = {
    ...dataFor(deps, reader, entity, delivery.data),
    language: languageOf(catalog.locale),
  }
  if (!entity) return data
  return {
    ...data,
    // What was stored is in the language of the project.
    ...(catalog !== deps.catalog && namesIn(namedEntity(catalog, entity), data)),
    record: printableRecord(catalog, entity, data.record),
    names: choiceNamesOf(catalog, entity, data.record),
  }
}

const namesIn = (named: Entity, { action }: Pick<EventData, 'action'>) => ({
  entity: { key: named.key, name: named.name },
  action: 'key' in action ? describeAction(named, { action: action as TakenAction }) : action,
})

/** What is sent, to whom, and with which names. */
export type Readable = {
  readonly entity: Entity | undefined
  readonly reader: EventReader
  readonly catalog: Catalog
}

const requireComment = async (
  database: Queryable,
  deps: VisibilityDeps,
  { userId, roleKey }: Person,
  { entity, data }: { readonly entity: Entity; readonly data: EventData },
): Promise<void> => {
  const { comment_id: id, sight } = data
  if (id === undefined) return
  const person = personOf(sql`p.id`, sql`p.role`)
  const reads = sight?.skips_rights ? sql`true` : readableBy(deps, entity, 't', person)
  const found = await queryRow<{ reads: boolean }>(
    database,
    sql`
SELECT ${reads} AND (NOT c.is_internal OR ${grantedBy(deps, 'internalComments', entity, 't', person)}) AS reads
FROM ${table('comment')} c
JOIN ${table(entity)} t ON t.id = c.entity_id
CROSS JOIN (SELECT ${int(userId)} AS id, ${text(roleKey)} AS role) p
WHERE c.id = ${int(id)} AND c.key = ${text(entity.key)} AND ${notDeleted('c')}`,
  )
  if (!found) throw new NothingToSend('The comment was removed.')
  if (!found.reads)
    throw new DeliveryError('The recipient may not read the comment any more.', {
      retryable: false,
    })
}
