/** The job that tells people of a change: match → recipients → content → stored, a batch at a time. */

import { setImmediate } from 'node:timers/promises'
import { getEntity } from '../definitions/catalog.ts'
import {
  type MatchedEntry,
  matchEntries,
  type NotificationEntry,
} from '../definitions/notification-matching.ts'
import { wakingSenders } from '../email/queue-deliveries.ts'
import { errorText } from '../errors.ts'
import type { Observe } from '../observations.ts'
import type { ChangeMessage } from '../records/after-change.ts'
import { type EngineParts, type Notice, pathsOfUser, prepareNotice } from './notice.ts'
import type { StoredContent } from './notification.ts'
import { isPersonal, renderContent } from './render-content.ts'
import { findGroups, resolveRecipients, type SkipReason } from './resolve-recipients.ts'
import { type Recipients, storeNotifications, wakeReaders } from './store-notifications.ts'
import { loadPaths, nest } from './template-data.ts'

export type SendingParts = EngineParts & { readonly observe: Observe }

// Long enough to be fast, short enough that no counter is locked for more than a moment.
const batchSize = 5_000
// Thousands of templates are filled in between other work of the process, not before it.
const longestTurnMs = 10

/**
 * Tells everyone whom the entries name, here and by e-mail; what is stored already is left alone. An
 * entry that fails holds no other one up: the fault is thrown when the others are done.
 */
export const sendNotificationsOf = async (
  parts: SendingParts,
  message: ChangeMessage,
): Promise<void> => {
  const { entity_key: key, operation, action } = message
  const entity = parts.catalog.entities.get(key)
  if (!entity) throw new Error(`The project has no entity "${key}" any more.`)
  const faults: Error[] = []
  for (const matched of matchEntries(entity.definition, operation, action ?? undefined))
    try {
      const notice = await prepareNotice(parts, entity, matched, message)
      if (notice) await sendNotice(parts, message, matched, notice)
    } catch (error) {
      faults.push(
        new Error(`notifications[${matched.index}]: ${errorText(error)}`, { cause: error }),
      )
    }
  if (faults.length === 1) throw faults[0]
  if (faults.length > 1)
    throw new AggregateError(faults, faults.map(({ message: text }) => text).join(' '))
}

const sendNotice = async (
  parts: SendingParts,
  message: ChangeMessage,
  { index, entry }: MatchedEntry,
  notice: Notice,
): Promise<void> => {
  const { entity_key: entityKey, entity_id: entityId, event, at } = message
  const occasion = { event, entry: String(index), entityKey, entityId, at }
  const mailing = { ...occasion, ...mailingOf(message, entry, notice) }
  const groups = await findGroups(parts.pool, entry.recipient)
  const wish = { ...notice.wish, groupIds: groups.ids, batchSize }
  const skipped: Skipped = new Map()
  let stored = 0
  for await (const batch of resolveRecipients(parts.pool, wish)) {
    for (const { id, reason } of batch) if (reason !== null) skip(skipped, reason, id)
    const told = batch.filter(({ reason }) => reason === null).map(({ id }) => id)
    if (told.length === 0) continue
    const recipients = await contentsFor(parts, notice, told)
    const made = await storeNotifications(parts.pool, occasion, recipients, mailing)
    await wakeReaders(parts.pool, recipients.userIds, wakingSenders)
    stored += made.stored
    for (const id of made.unreachable) skip(skipped, 'has no e-mail address', id)
  }
  tellSkipped(parts, message, index, skipped)
  parts.observe({
    kind: 'notificationsStored',
    entity: entityKey,
    id: entityId,
    entry: index,
    stored,
  })
  // Last, so that everyone else knows: it fails until somebody makes the group.
  const [missing] = groups.missing
  if (missing !== undefined) throw new Error(`There is no user group "${missing}".`)
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
  const contents: StoredContent[] = []
  let turnEndsAt = performance.now() + longestTurnMs
  for (const user of users) {
    contents.push(renderContent(content, { ...data, recipient: nest(user) }, timeZone))
    if (performance.now() < turnEndsAt) continue
    await setImmediate()
    turnEndsAt = performance.now() + longestTurnMs
  }
  return { userIds: users.map((user) => Number(user.get('id'))), contents }
}

/** How many are not told, by reason, and the first of them: of 100,000 no list is kept. */
type Skipped = Map<SkipReason, { count: number; readonly userIds: number[] }>

const mostNamed = 20

const skip = (skipped: Skipped, reason: SkipReason, id: number): void => {
  const users = skipped.get(reason) ?? { count: 0, userIds: [] }
  users.count++
  if (users.userIds.length < mostNamed) users.userIds.push(id)
  skipped.set(reason, users)
}

/** Why somebody who was named is not told: one line of the log for each reason. */
const tellSkipped = (
  { observe }: SendingParts,
  { entity_key: entity, entity_id: id }: ChangeMessage,
  entry: number,
  skipped: Skipped,
): void => {
  for (const [reason, users] of skipped)
    observe({ kind: 'recipientsSkipped', entity, id, entry, reason, ...users })
}
