/** The job that tells people of a change: match → recipients → content → stored, a batch at a time. */

import type { Connection } from '../database/pool.ts'
import { transaction } from '../database/transaction.ts'
import { getEntity } from '../definitions/catalog.ts'
import {
  type MatchedEntry,
  matchEntries,
  type NotificationEntry,
} from '../definitions/notification-matching.ts'
import { queueDeliveries } from '../email/queue-deliveries.ts'
import type { Observe } from '../observations.ts'
import type { ChangeMessage } from '../records/after-change.ts'
import { type EngineParts, type Notice, pathsOfUser, prepareNotice } from './notice.ts'
import { isPersonal, renderContent } from './render-content.ts'
import { type Candidate, resolveRecipients, type SkipReason } from './resolve-recipients.ts'
import { type Recipients, storeNotifications } from './store-notifications.ts'
import { loadPaths, nest } from './template-data.ts'

export type SendingParts = EngineParts & { readonly observe: Observe }

// Long enough to be fast, short enough that no counter is locked for more than a moment.
const batchSize = 5_000

/** Tells everyone whom the entries name, here and by e-mail; what is stored already is left alone. */
export const sendNotificationsOf = async (
  parts: SendingParts,
  message: ChangeMessage,
): Promise<void> => {
  const entity = parts.catalog.entities.get(message.entity_key)
  // The definition may have lost the entity, or its entries, since the change.
  if (!entity) return
  const matched = matchEntries(entity.definition, message.operation, message.action ?? undefined)
  for (const entry of matched) {
    const notice = await prepareNotice(parts, entity, entry, message)
    if (notice) await sendNotice(parts, message, entry, notice)
  }
}

const sendNotice = async (
  parts: SendingParts,
  message: ChangeMessage,
  { index, entry }: MatchedEntry,
  notice: Notice,
): Promise<void> => {
  const occasion = {
    event: message.event,
    entry: String(index),
    entityKey: message.entity_key,
    entityId: message.entity_id,
    at: message.at,
  }
  const mailing = { ...occasion, ...mailingOf(message, entry, notice) }
  const skipped: Candidate[] = []
  let stored = 0
  for await (const batch of resolveRecipients(parts.pool, notice.wish, batchSize)) {
    skipped.push(...batch.filter(({ reason }) => reason !== null))
    const told = batch.filter(({ reason }) => reason === null).map(({ id }) => id)
    if (told.length === 0) continue
    const recipients = await contentsFor(parts, notice, told)
    const unreachable = await transaction(parts.pool, async (connection: Connection) => {
      const { at } = message
      const without = await queueDeliveries(connection, mailing, { at, userIds: told })
      stored += await storeNotifications(connection, occasion, recipients)
      return without
    })
    skipped.push(...unreachable.map((id) => ({ id, reason: 'has no e-mail address' as const })))
  }
  tellSkipped(parts, message, index, skipped)
  const { entity_key: entity, entity_id: id } = message
  parts.observe({ kind: 'notificationsStored', entity, id, entry: index, stored })
}

/** What the e-mails of an entry are made of. */
const mailingOf = (
  { operation }: ChangeMessage,
  { emailTemplateId, attachments = {} }: NotificationEntry,
  { mail }: Notice,
) => ({
  operation,
  templateId: emailTemplateId,
  data: mail,
  wished: {
    printableDocuments: attachments.printableDocuments ?? [],
    documentFunctions: attachments.documentFunctions ?? [],
  },
})

/** One content for all, or each their own where the templates speak to the recipient. */
const contentsFor = async (
  parts: EngineParts,
  { content, data }: Notice,
  userIds: readonly number[],
): Promise<Recipients> => {
  const { catalog, pool, timeZone } = parts
  if (!isPersonal(content))
    return { userIds, content: renderContent(content, { ...data, recipient: {} }, timeZone) }
  const paths = ['id', ...pathsOfUser(catalog, 'recipient', content)]
  const users = await loadPaths(pool, {
    catalog,
    entity: getEntity(catalog, 'user'),
    where: { kind: 'compare', field: 'id', operator: '$in', value: userIds, at: 'id' },
    paths: [...new Set(paths)],
    timeZone,
  })
  return {
    userIds: users.map((user) => Number(user.get('id'))),
    contents: users.map((user) =>
      renderContent(content, { ...data, recipient: nest(user) }, timeZone),
    ),
  }
}

const mostNamed = 20

/** Why somebody who was named is not told: one line of the log for each reason. */
const tellSkipped = (
  { observe }: SendingParts,
  { entity_key: entity, entity_id: id }: ChangeMessage,
  entry: number,
  skipped: readonly Candidate[],
): void => {
  for (const [reason, users] of Map.groupBy(skipped, ({ reason }) => reason as SkipReason)) {
    const userIds = users.slice(0, mostNamed).map((user) => user.id)
    observe({ kind: 'recipientsSkipped', entity, id, entry, reason, count: users.length, userIds })
  }
}
