/** The job that tells people of a change: match → recipients → content → stored, a batch at a time. */

import { setImmediate } from 'node:timers/promises'
import type { Queryable } from '../database/pool.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import {
  type MatchedEntry,
  matchEntries,
  type NotificationEntry,
} from '../definitions/notification-matching.ts'
import { errorText } from '../errors.ts'
import type { ChangeMessage } from '../records/after-change.ts'
import type { EntryContent } from './entry-content.ts'
import { candidatesOf, type Notice, pathsOfUser, prepareNotices } from './notice.ts'
import type { StoredContent } from './notification.ts'
import { isPersonal, renderContent } from './render-content.ts'
import { findGroups, type SkipReason, tellsGroups } from './resolve-recipients.ts'
import { fewPeople, type Recipients } from './store-notifications.ts'
import { inTurn, type SendingParts, tellPeople } from './tell-people.ts'
import { byId, idIn, loadPaths, nest, type Values } from './template-data.ts'

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
      await sendEntry(parts, entity, matched, message)
    } catch (error) {
      faults.push(
        new Error(`notifications[${matched.index}]: ${errorText(error)}`, { cause: error }),
      )
    }
  if (faults.length === 1) throw faults[0]
  if (faults.length > 1)
    throw new AggregateError(faults, faults.map(({ message: text }) => text).join(' '))
}

/** Applies an entry to one record, together with others that it is to be applied to now. */
const sendEntry = (
  parts: SendingParts,
  entity: Entity,
  matched: MatchedEntry,
  message: ChangeMessage,
): Promise<void> => {
  const { index, entry } = matched
  return parts.gather(`${entity.key} ${index}`, message, async (messages, database) => {
    const notices = await prepareNotices({ ...parts, database }, entity, entry, messages)
    const sent = messages.map(async (one, place) => {
      const notice = notices[place]
      if (notice) await sendNotice(parts, one, matched, notice)
    })
    // The next messages do not wait for very many people.
    if (!tellsGroups(entry.recipient)) await Promise.allSettled(sent)
    return sent
  })
}

const sendNotice = async (
  parts: SendingParts,
  message: ChangeMessage,
  { index, entry }: MatchedEntry,
  notice: Notice,
): Promise<void> => {
  const { entity_key: entityKey, entity_id: entityId, event, at } = message
  const occasion = { event, entry: String(index), entityKey, entityId, at }
  const mailing = mailingOf(message, entry, notice)
  const groups = await findGroups(parts.pool, entry.recipient)
  const skipped: Skipped = new Map()
  let stored = 0
  for await (const batch of candidatesOf(parts.pool, notice, groups)) {
    for (const { id, reason } of batch) if (reason !== null) skip(skipped, reason, id)
    const told = batch.filter(({ reason }) => reason === null).map(({ id }) => id)
    if (told.length === 0) continue
    const made = await inTurn(parts, told.length, async () => {
      const recipients = await contentsFor(parts, notice, told)
      // Whoever was removed meanwhile has no content any more.
      if (recipients.userIds.length === 0) return { stored: 0, unreachable: [] }
      return tellPeople(parts, { occasion, recipients, mailing })
    })
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
  parts: SendingParts,
  { content, data }: Notice,
  userIds: readonly number[],
): Promise<Recipients> => {
  const { timeZone } = parts
  if (!isPersonal(content))
    return { userIds, content: renderContent(content, { ...data, recipient: {} }, timeZone) }
  const users = await loadRecipients(parts, content, userIds)
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

/** What the templates say of the recipients, in the order of their ids. */
const loadRecipients = (
  { catalog, gather, pool, timeZone }: SendingParts,
  content: EntryContent,
  userIds: readonly number[],
): Promise<readonly Values[]> => {
  const paths = ['id', ...pathsOfUser(catalog, 'recipient', content)]
  const entity = getEntity(catalog, 'user')
  const load = (database: Queryable, ids: readonly number[]) =>
    loadPaths(database, { catalog, entity, timeZone, paths, where: idIn(ids) })
  if (userIds.length > fewPeople) return load(pool, userIds)
  return gather(`recipient ${paths}`, userIds, async (lists, database) => {
    const userOf = byId(await load(database, lists.flat()))
    return lists.map((ids) => ids.flatMap((id) => userOf.get(id) ?? []))
  })
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
