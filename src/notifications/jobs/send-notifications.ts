/** The job that tells people of a change: match → recipients → content → stored, a batch at a time. */

import { setImmediate } from 'node:timers/promises'
import type { Person } from '../../auth/caller.ts'
import type { Values } from '../../auth/sight.ts'
import type { Queryable } from '../../database/pool.ts'
import { type Entity, getEntity } from '../../definitions/catalog.ts'
import {
  type MatchedEntry,
  matchEntries,
  type NotificationEntry,
} from '../../definitions/notification-matching.ts'
import { errorText } from '../../errors.ts'
import type { ChangeMessage } from '../../records/write/after-change.ts'
import type { EntryContent } from '../content/entry-content.ts'
import { isPersonal, renderContent } from '../content/render-content.ts'
import { byId, idIn, loadPaths } from '../content/template-data.ts'
import type { StoredContent } from '../inbox/notification.ts'
import { fewPeople, type Recipients } from '../inbox/store-notifications.ts'
import { candidatesOf, type Notice, pathsOfUser, prepareNotices } from '../rules/notice.ts'
import { selfFor, type View, viewsOf } from '../rules/notice-view.ts'
import {
  type Candidate,
  findGroups,
  hasGroups,
  type SkipReason,
} from '../rules/resolve-recipients.ts'
import { inTurn, notifyUsers, type SendingDeps } from './notify-users.ts'

// Thousands of templates are filled in between other work of the process, not before it.
const longestTurnMs = 10

/**
 * Tells everyone whom the entries name, here and by e-mail; what is stored already is left alone. An
 * entry that fails holds no other one up: the error is thrown when the others are done.
 */
export const sendNotificationsOf = async (
  deps: SendingDeps,
  message: ChangeMessage,
): Promise<void> => {
  const { entity_key: key, operation, action } = message
  const entity = deps.catalog.entities.get(key)
  if (!entity) throw new Error(`The project has no entity "${key}" any more.`)
  const errors: Error[] = []
  for (const matched of matchEntries(entity.definition, operation, action ?? undefined))
    try {
      await sendEntry(deps, entity, matched, message)
    } catch (error) {
      errors.push(
        new Error(`notifications[${matched.index}]: ${errorText(error)}`, { cause: error }),
      )
    }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1)
    throw new AggregateError(errors, errors.map(({ message: text }) => text).join(' '))
}

/** Applies an entry to one record, together with others that it is to be applied to now. */
const sendEntry = (
  deps: SendingDeps,
  entity: Entity,
  matched: MatchedEntry,
  message: ChangeMessage,
): Promise<void> => {
  const { index, entry } = matched
  return deps.batcher(`${entity.key} ${index}`, message, async (messages, database) => {
    const notices = await prepareNotices({ ...deps, database }, entity, entry, messages)
    const sent = messages.map(async (one, place) => {
      const notice = notices[place]
      if (notice) await sendNotice(deps, one, matched, notice)
    })
    // The next messages do not wait for very many people.
    if (!hasGroups(entry.recipient)) await Promise.allSettled(sent)
    return sent
  })
}

const sendNotice = async (
  deps: SendingDeps,
  message: ChangeMessage,
  { index, entry }: MatchedEntry,
  notice: Notice,
): Promise<void> => {
  const { entity_key: entityKey, entity_id: entityId, event, at } = message
  const occasion = { event, entry: String(index), entityKey, entityId, at }
  const mailing = mailingOf(message, entry, notice)
  const groups = await findGroups(deps.pool, entry.recipient)
  const skipped: Skipped = new Map()
  let stored = 0
  for await (const batch of candidatesOf(deps.pool, notice, groups)) {
    for (const { id, reason } of batch) if (reason !== null) skip(skipped, reason, id)
    const told = batch.filter(({ reason }) => reason === null).map(personOf)
    if (told.length === 0) continue
    const made = await inTurn(deps, told.length, async () => {
      const recipients = await contentsFor(deps, notice, told)
      // Whoever was removed meanwhile has no content any more.
      if (recipients.userIds.length === 0) return { stored: 0, unreachable: [] }
      return notifyUsers(deps, { occasion, recipients, mailing })
    })
    stored += made.stored
    for (const id of made.unreachable) skip(skipped, 'has no e-mail address', id)
  }
  reportSkipped(deps, message, index, skipped)
  deps.observe({
    kind: 'notificationsStored',
    entity: entityKey,
    id: entityId,
    entry: index,
    stored,
  })
  // No error of the job: nobody knows who would have been in a group that there is not.
  for (const group of groups.missing)
    deps.observe({ kind: 'groupUnknown', entity: entityKey, id: entityId, entry: index, group })
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

const personOf = ({ id, role }: Candidate): Person => ({ userId: id, roleKey: role ?? '' })

/** One content for all, or each their own where they may read other things or are spoken to. */
const contentsFor = async (
  deps: SendingDeps,
  notice: Notice,
  people: readonly Person[],
): Promise<Recipients> => {
  const { content } = notice
  const viewOf = viewsOf(deps, notice)
  if (!isPersonal(content)) return sharedContents(deps, content, people, viewOf)
  const byUser = new Map(people.map((person) => [person.userId, person]))
  const userIds = [...byUser.keys()]
  const users = await loadRecipients(deps, content, userIds)
  const contents: StoredContent[] = []
  let turnEndsAt = performance.now() + longestTurnMs
  for (const user of users) {
    const person = byUser.get(Number(user.get('id'))) ?? { userId: 0, roleKey: '' }
    const recipient = selfFor(deps, notice, person, user)
    contents.push(renderContent(content, { ...viewOf(person).data, recipient }, deps.timeZone))
    if (performance.now() < turnEndsAt) continue
    await setImmediate()
    turnEndsAt = performance.now() + longestTurnMs
  }
  return { userIds: users.map((user) => Number(user.get('id'))), contents }
}

/** A content for each of those who may read the same. */
const sharedContents = (
  { timeZone }: SendingDeps,
  content: EntryContent,
  people: readonly Person[],
  viewOf: (person: Person) => View,
): Recipients => {
  const rendered = new Map<string, StoredContent>()
  const contents = people.map((person) => {
    const { key, data } = viewOf(person)
    const made = rendered.get(key) ?? renderContent(content, { ...data, recipient: {} }, timeZone)
    rendered.set(key, made)
    return made
  })
  const userIds = people.map(({ userId }) => userId)
  const [first] = contents
  return first && rendered.size === 1 ? { userIds, content: first } : { userIds, contents }
}

/** What the templates say of the recipients, in the order of their ids. */
const loadRecipients = (
  { catalog, batcher, pool, timeZone }: SendingDeps,
  content: EntryContent,
  userIds: readonly number[],
): Promise<readonly Values[]> => {
  const paths = ['id', ...pathsOfUser(catalog, 'recipient', content)]
  const entity = getEntity(catalog, 'user')
  const load = (database: Queryable, ids: readonly number[]) =>
    loadPaths(database, { catalog, entity, timeZone, paths, where: idIn(ids) })
  if (userIds.length > fewPeople) return load(pool, userIds)
  return batcher(`recipient ${paths}`, userIds, async (lists, database) => {
    const userOf = byId(await load(database, lists.flat()))
    return lists.map((ids) => ids.flatMap((id) => userOf.get(id) ?? []))
  })
}

/** How many are not told, by reason, and the first of them: of 100,000 no list is kept. */
type Skipped = Map<SkipReason, { count: number; readonly userIds: number[] }>

const maxNamed = 20

const skip = (skipped: Skipped, reason: SkipReason, id: number): void => {
  const users = skipped.get(reason) ?? { count: 0, userIds: [] }
  users.count++
  if (users.userIds.length < maxNamed) users.userIds.push(id)
  skipped.set(reason, users)
}

/** Why somebody who was named is not told: one line of the log for each reason. */
const reportSkipped = (
  { observe }: SendingDeps,
  { entity_key: entity, entity_id: id }: ChangeMessage,
  entry: number,
  skipped: Skipped,
): void => {
  for (const [reason, users] of skipped)
    observe({ kind: 'recipientsSkipped', entity, id, entry, reason, ...users })
}
