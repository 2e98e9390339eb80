/** The job that notifies users of a change: rules → recipients → contents → inbox and channels. */
import type { Pool } from '../../database/pool.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { type MatchedRule, matchRules } from '../../definitions/notification-matching.ts'
import { errorText } from '../../errors.ts'
import type { ChangeMessage } from '../../records/write/change-events.ts'
import { evaluateRules, listCandidates, type RuleMatch } from '../rules/evaluate-rules.ts'
import { findGroups, hasGroups } from '../rules/resolve-recipients.ts'
import { forEachOf } from './for-each-of.ts'
import { enqueueLate, type FeedPart, isInPart, type LateMessage } from './late-parts.ts'
import { largeBatchesAtOnce, notifyUsers, runInLane, type SendingDeps } from './notify-users.ts'
import { renderContents } from './render-contents.ts'
import { createReport } from './report-notified.ts'

/**
 * Notifies everyone whom the rules name; notifications that are stored already stay. A rule that fails does
 * not stop the others: its error is thrown when they are done.
 */
export const sendNotificationsOf = async (
  deps: SendingDeps,
  message: ChangeMessage,
): Promise<void> => {
  const { late, errors } = await applyRules(deps, message)
  await enqueueLate(deps.pool, message, { late, among: deps.feeds.names })
  throwAll(errors)
}

/** The same for the users of one server of the feed, who were not notified because it was away. */
export const sendLateNotifications = async (
  deps: SendingDeps,
  { only, ...message }: LateMessage,
): Promise<void> => {
  // Before anything is read.
  deps.feeds.named(only.feed)?.assertUp()
  const { late, errors } = await applyRules(deps, message, only)
  throwAll(errors)
  if (late.length > 0) throw new Error(`Servers of notifications are away: ${late.join(', ')}.`)
}

type Applied = { readonly late: readonly string[]; readonly errors: readonly Error[] }

const applyRules = async (
  deps: SendingDeps,
  message: ChangeMessage,
  only?: FeedPart,
): Promise<Applied> => {
  const { entity_key: key, operation, action } = message
  const entity = deps.catalog.entities.get(key)
  if (!entity) throw new Error(`The project has no entity "${key}" any more.`)
  const errors: Error[] = []
  const late: string[] = []
  const part = only ? ` ${only.feed} of ${only.among}` : ''
  for (const matched of matchRules(entity.definition, operation, action ?? undefined))
    try {
      const away = await deps.batcher(
        `${key} ${matched.index}${part}`,
        message,
        (messages, batch) =>
          applyRule({ ...deps, batchPool: batch, only }, entity, matched, messages),
      )
      late.push(...away)
    } catch (error) {
      errors.push(
        new Error(`notifications[${matched.index}]: ${errorText(error)}`, { cause: error }),
      )
    }
  return { late, errors }
}

const throwAll = (errors: readonly Error[]): void => {
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1)
    throw new AggregateError(errors, errors.map(({ message: text }) => text).join(' '))
}

/** With `only`, for the users of one server of the feed. */
type PartDeps = SendingDeps & { readonly only: FeedPart | undefined }

/**
 * Applies a rule to a batch of changes, and returns a promise for each of them. They end together, so that
 * the next batch is as large; a change with very many users does not delay the others.
 */
const applyRule = async (
  { batchPool, ...deps }: PartDeps & { readonly batchPool: Pool },
  entity: Entity,
  matched: MatchedRule,
  messages: readonly ChangeMessage[],
): Promise<Promise<readonly string[]>[]> => {
  const matches = await evaluateRules({ ...deps, pool: batchPool }, entity, matched.rule, messages)
  const notified = messages.map(async (message, index) => {
    const match = matches[index]
    return match ? notifyMatched(deps, match, matched, message) : []
  })
  if (!hasGroups(matched.rule.recipient)) await Promise.allSettled(notified)
  return notified
}

/** Notifies the users of a rule of one change, some thousands at a time; returns the servers that are away. */
const notifyMatched = async (
  deps: PartDeps,
  match: RuleMatch,
  { index, rule }: MatchedRule,
  message: ChangeMessage,
): Promise<string[]> => {
  const { entity_key: entityKey, entity_id: entityId, event: id, at, operation } = message
  const { traceparent } = message
  const event = { id, rule: String(index), entityKey, entityId, at, traceparent }
  const outgoing = { operation, rule, data: match.data }
  const groups = await findGroups(deps.pool, rule.recipient)
  const { only } = deps
  const report = createReport()
  const late: string[] = []
  await forEachOf(
    listCandidates(deps.pool, match, groups),
    largeBatchesAtOnce,
    async (candidates) => {
      const own = only ? candidates.filter(({ id: userId }) => isInPart(only, userId)) : candidates
      const users = report.withoutSkipped(own)
      if (users.length === 0) return
      const notified = await runInLane(deps, users.length, async () => {
        const { recipients, unreadDueDates } = await renderContents(deps, match, users)
        report.addUnreadDueDates(unreadDueDates)
        return notifyUsers(deps, { event, recipients, outgoing })
      })
      report.add(notified)
      late.push(...notified.late)
    },
  )
  report.end(deps.observe, event, groups)
  return late
}
