/** What the recipient of a delivery may read of its event when it is composed. */
import type { VisibilityDeps } from '../../auth/readable-records.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { ChannelOptions } from '../channel.ts'
import { dataFor, type EventReader, readReach } from '../events/notification-event.ts'
import { choiceNamesOf, printableRecord } from '../events/printable-record.ts'
import type { TakenDelivery } from '../sending/taken-delivery.ts'

/** The recipient, with what they may read at this moment. */
export const readerFor = async (
  options: ChannelOptions,
  { user_id: userId, role_key: roleKey, entity_id: entityId, data }: TakenDelivery,
  entity: Entity | undefined,
): Promise<EventReader> => {
  const person = { userId, roleKey }
  if (!entity || data.sight?.shows_hidden === true) return { ...person, reach: noReach }
  return readReach(options.pool, options, person, { entity, entityId, data })
}

const noReach = { record: new Set<string>(), actor: new Set<string>() }

/** The data of its templates, besides the recipient. */
export const readableData = (
  deps: VisibilityDeps,
  delivery: TakenDelivery,
  entity: Entity | undefined,
  reader: EventReader,
): object => {
  const data = dataFor(deps, reader, entity, delivery.data)
  if (!entity) return data
  const record = printableRecord(deps.catalog, entity, data.record)
  const names = choiceNamesOf(deps.catalog, entity, data.record)
  return { ...data, record, names }
}
