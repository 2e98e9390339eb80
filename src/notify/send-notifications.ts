/** The job that notifies users of a change: decide who and why, render, store with the deliveries, push. */
import { type Batcher, smallBatch } from '../database/batcher.ts'
import type { Pool } from '../database/pool.ts'
import { transaction } from '../database/transaction.ts'
import type { Entity } from '../definitions/catalog.ts'
import { type MatchedRule, matchRules } from '../definitions/notification-rules.ts'
import { errorText } from '../errors.ts'
import { changedChannel, notificationIds } from '../inbox/notification.ts'
import { type EventNotifications, storeNotifications } from '../inbox/store-notifications.ts'
import { createLimit } from '../limit.ts'
import type { Observe } from '../observations.ts'
import type { OutgoingEvent, Skipped } from '../outbox/channel.ts'
import { isSentTogether, queueDeliveries } from '../outbox/channels.ts'
import { queuedChannel } from '../outbox/delivery.ts'
import type { EventReader } from '../outbox/events/notification-event.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'
import { type DecideDeps, decide } from './decide.ts'
import { knownOf } from './event-values.ts'
import {
  createSharedReading,
  type MatchedPersons,
  renderForAll,
  type SharedReading,
} from './recipient-contents.ts'
import type { Groups, NamedUser } from './recipients.ts'

/** What jobs need to notify users. */
export type SendingDeps = DecideDeps & {
  /** Batches the reads and writes of concurrent jobs for few users. */
  readonly batcher: Batcher
  readonly observe: Observe
}

/**
 * Notifies everyone whom the rules name; notifications that are stored already stay. A rule that fails does
 * not stop the others: its error is thrown when they are done.
 */
export const sendNotificationsOf = async (
  deps: SendingDeps,
  message: ChangeMessage,
): Promise<void> => {
  const { entity_key: key, action } = message
  const entity = deps.catalog.entities.get(key)
  if (!entity) throw new Error(`The project has no entity "${key}" any more.`)
  const errors: Error[] = []
  const known = knownOf(entity, message)
  const told = new Set<number>()
  for (const matched of operationsOf(message).flatMap((one) =>
    matchRules(entity.definition, one, action ?? undefined, known),
  ))
    try {
      // Changes that match the same rule at the same time share their statements.
      const users = await deps.batcher(
        `${key} ${matched.index}`,
        withTold(message, told),
        async (messages, quickPool) => {
          const notified = new Map<ChangeMessage, readonly number[]>()
          for (const round of roundsOf(messages))
            for (const [one, userIds] of await applyRule(
              { ...deps, quickPool },
              entity,
              matched,
              round,
            ))
              notified.set(one, userIds)
          return messages.map((one) => notified.get(one) ?? [])
        },
      )
      for (const userId of users) told.add(userId)
    } catch (error) {
      errors.push(
        new Error(`notifications[${matched.index}]: ${errorText(error)}`, { cause: error }),
      )
    }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1)
    throw new AggregateError(errors, errors.map(({ message: text }) => text).join(' '))
}

/** A comment notifies those whom it mentions first: it is the strongest reason. */
const operationsOf = ({ operation, said }: ChangeMessage): readonly string[] => {
  if (!said) return [operation]
  return [
    ...(said.mentioned.length > 0 ? ['mention'] : []),
    ...(operation === 'comment' ? ['comment'] : []),
  ]
}

/** Nobody is notified of one comment twice, also if several rules name them. */
const withTold = (message: ChangeMessage, told: ReadonlySet<number>): ChangeMessage =>
  message.said ? { ...message, said: { ...message.said, told: [...told] } } : message

/** Rounds with at most one message of each record: only then are rows of their changes rows of records. */
const roundsOf = (messages: readonly ChangeMessage[]): readonly (readonly ChangeMessage[])[] => {
  const rounds: ChangeMessage[][] = []
  const counts = new Map<number, number>()
  for (const message of messages) {
    const round = counts.get(message.entity_id) ?? 0
    counts.set(message.entity_id, round + 1)
    rounds[round] = [...(rounds[round] ?? []), message]
  }
  return rounds
}

// While one page of users is stored, the next one is read and rendered.
const pagesAtOnce = 2

// For the whole process: more would wait for each other's counters, each with its contents in memory.
const largePages = createLimit(pagesAtOnce)

/** Notifies the users whom a rule names for some changes, a page of users at a time; of comments, it returns whom. */
const applyRule = async (
  deps: SendingDeps & { readonly quickPool: Pool },
  entity: Entity,
  { index, rule }: MatchedRule,
  messages: readonly ChangeMessage[],
): Promise<ReadonlyMap<ChangeMessage, readonly number[]>> => {
  const { pool, quickPool } = deps
  const decision = await decide({ ...deps, pool: quickPool }, { entity, rule, messages })
  const reports = new Map(decision.matches.map((match) => [match, createReport()]))
  const isForMany = decision.groups.ids.length > 0 || rule.recipient.followers === true
  const pages = decision.readUsers(isForMany ? pool : quickPool)
  const notifyPages = async () => {
    for await (const named of pages) {
      const page = named.flatMap(({ match, users }) => {
        const report = reports.get(match) ?? createReport()
        const persons = report.withoutSkipped(users)
        if (match.message.said) report.told.push(...persons.map(({ userId }) => userId))
        return persons.length > 0 ? [{ match, persons, report }] : []
      })
      const count = page.reduce((sum, { persons }) => sum + persons.length, 0)
      if (count > smallBatch) await largePages(() => notifyPage({ ...deps, pool }, index, page))
      else if (count > 0) await notifyPage({ ...deps, pool: quickPool }, index, page)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: pagesAtOnce }, notifyPages))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (isSentTogether(rule)) await queueForAll(deps, index, reports)
  for (const [{ message }, report] of reports)
    report.end(deps.observe, eventOf(message, index), decision.groups)
  return new Map([...reports].map(([{ message }, { told }]) => [message, told]))
}

/** Renders the contents for a page of users, stores their notifications with the deliveries, and pushes them. */
const notifyPage = async (
  deps: DecideDeps,
  index: number,
  page: readonly (MatchedPersons & { readonly report: Report })[],
): Promise<void> => {
  const contents = await renderForAll(deps, page)
  const isTogether = page.some(({ match }) => isSentTogether(match.rule))
  // A room has the language of the project, and not that of its recipients.
  const alike = isTogether ? await renderForAll(deps, page, 'the project') : []
  const batches = contents.map(({ match, recipients }) => {
    const { message, rule, data } = match
    // Of an action, too, a rule of changes is about a change, which its recipients may have turned off.
    const outgoing = { operation: rule.operation, rule, data, timeZone: deps.timeZone }
    return { event: eventOf(message, index), recipients, outgoing }
  })
  const notified = await notifyTogether(batches, deps.pool)
  for (const [position, { report }] of page.entries()) {
    const content = contents[position]
    report.add(notified[position], content?.unreadDueDates)
    const ofProject = alike[position]
    if (ofProject) report.shared.add(ofProject.recipients)
  }
}

/** Queues one message for all recipients of each change: only now is known what all of them read alike. */
const queueForAll = async (
  { pool, timeZone }: DecideDeps,
  index: number,
  reports: ReadonlyMap<MatchedPersons['match'], Report>,
): Promise<void> => {
  const events = [...reports].flatMap(([{ message, rule, data }, report]): OutgoingEvent[] => {
    const shared = report.shared.result()
    if (!shared) return []
    const event = eventOf(message, index)
    const userIds = [shared.userId]
    const ids = notificationIds(event, userIds)
    const { operation } = rule
    const { content } = shared
    const told = { event, operation, rule, data, userIds, timeZone }
    return [{ ...told, notificationIds: ids, shared: content }]
  })
  if (events.length === 0) return
  await transaction(pool, (connection) => queueDeliveries(connection, events, 'together'))
  await pool.signaller.signal([{ channel: queuedChannel, values: [1] }])
}

const eventOf = (message: ChangeMessage, index: number): EventNotifications['event'] => ({
  id: message.event,
  rule: String(index),
  entityKey: message.entity_key,
  entityId: message.entity_id,
  at: message.at,
  historyId: message.history_id,
  traceparent: message.traceparent,
})

/** The notifications of one event, also sent by channels if `outgoing` is set. */
export type NotificationBatch = Omit<EventNotifications, 'ids'> & {
  readonly outgoing?: Pick<OutgoingEvent, 'operation' | 'rule' | 'data' | 'timeZone'>
}

type Notified = {
  /** How many notifications are new. */
  readonly stored: number
  /** The recipients to whom a channel sends nothing. */
  readonly skipped: readonly Skipped[]
}

/** Notifies the recipients of events: stored when it resolves, and pushed to open streams. */
export const notifyTogether = async (
  batches: readonly NotificationBatch[],
  pool: Pool,
): Promise<Notified[]> => {
  const notified = await storeBatches(pool, batches)
  // Also if an earlier attempt has stored them: it may have ended before it signalled.
  await pool.signaller.signal([
    { channel: changedChannel, values: batches.flatMap(({ recipients }) => recipients.userIds) },
    { channel: queuedChannel, values: batches.map(({ outgoing }) => (outgoing ? 1 : 0)) },
  ])
  return notified
}

// If two workers run the same job, the later one fails on what the earlier one stored meanwhile, and finds
// all of it when it retries.
const maxRetries = 10
const conflicts = ['23505', '40P01']

/**
 * Stores the notifications of events and queues their deliveries, in one transaction; returns the result of each event.
 */
export const storeBatches = async (
  pool: Pool,
  batches: readonly NotificationBatch[],
): Promise<Notified[]> => {
  const inbox = batches.map(({ event, recipients }) => ({
    event,
    recipients,
    ids: notificationIds(event, recipients.userIds),
  }))
  const events = inbox.map(({ event, recipients, ids }, index): OutgoingEvent | undefined => {
    const outgoing = batches[index]?.outgoing
    return outgoing && { event, userIds: recipients.userIds, notificationIds: ids, ...outgoing }
  })
  const outgoing = events.filter((event) => event !== undefined)
  for (let retries = 0; ; retries++)
    try {
      if (outgoing.length === 0)
        return (await storeNotifications(pool, inbox)).map((stored) => ({ stored, skipped: [] }))
      return await transaction(pool, async (connection) => {
        const skipped = Map.groupBy(await queueDeliveries(connection, outgoing), ({ of }) => of)
        // Last, because the counters of the recipients stay locked until the commit.
        const stored = await storeNotifications(connection, inbox)
        return events.map((event, index) => ({
          stored: stored[index] ?? 0,
          skipped: (event && skipped.get(event)) ?? [],
        }))
      })
    } catch (error) {
      const { code = '' } = error as { readonly code?: string }
      if (retries === maxRetries || !conflicts.includes(code)) throw error
    }
}

type Report = {
  /** Of a comment, the users who are notified. */
  readonly told: number[]
  /** The users to notify; the others are counted. */
  readonly withoutSkipped: (users: readonly NamedUser[]) => EventReader[]
  readonly add: (notified: Notified | undefined, unreadDueDates: number | undefined) => void
  /** What the recipients read alike. */
  readonly shared: SharedReading
  readonly end: (observe: Observe, event: EventNotifications['event'], groups: Groups) => void
}

// The number of skipped users, and the first of them, because there may be very many.
const maxNamed = 20

/**
 * Collects the result of a rule for one change: how many notifications are stored, and who is skipped and why. Nothing is
 * reported before the end.
 */
const createReport = (): Report => {
  const skipped = new Map<string, { count: number; readonly userIds: number[] }>()
  let stored = 0
  let unreadDueDates = 0
  const skip = (reason: string, userId: number) => {
    const users = skipped.get(reason) ?? { count: 0, userIds: [] }
    users.count++
    if (users.userIds.length < maxNamed) users.userIds.push(userId)
    skipped.set(reason, users)
  }
  return {
    told: [],
    withoutSkipped: (users) =>
      users.flatMap(({ id, reason, role, reach }) => {
        if (reason === null) return [{ userId: id, roleKey: role ?? '', reach }]
        skip(reason, id)
        return []
      }),
    add: (notified, unread = 0) => {
      stored += notified?.stored ?? 0
      unreadDueDates += unread
      for (const { reason, userId } of notified?.skipped ?? []) skip(reason, userId)
    },
    shared: createSharedReading(),
    end: (observe, event, groups) => {
      const about = { entity: event.entityKey, id: event.entityId, entry: Number(event.rule) }
      for (const [reason, users] of skipped)
        observe({ kind: 'recipientsSkipped', ...about, reason, ...users })
      observe({ kind: 'notificationsStored', ...about, stored })
      // Not an error of the job: the members of a missing group are unknown.
      for (const group of groups.missing) observe({ kind: 'groupUnknown', ...about, group })
      // No error either: users are notified, although the due date is missing.
      if (unreadDueDates > 0) observe({ kind: 'dueDateUnread', ...about, count: unreadDueDates })
    },
  }
}
