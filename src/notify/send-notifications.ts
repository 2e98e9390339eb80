/** The job that notifies users of a change: rules → recipients → contents → inbox and channels. */
import type { Pool } from '../database/pool.ts'
import type { Entity } from '../definitions/catalog.ts'
import { type MatchedRule, matchRules } from '../definitions/notification-matching.ts'
import { errorText } from '../errors.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'
import { forEachOf } from './for-each-of.ts'
import { largeBatchesAtOnce, notifyUsers, runInLane, type SendingDeps } from './notify-users.ts'
import { renderContents } from './render-contents.ts'
import { createReport } from './report-notified.ts'
import { evaluateRules, listCandidates, type RuleMatch } from './rules/evaluate-rules.ts'
import { findGroups, hasGroups } from './rules/resolve-recipients.ts'

/**
 * Notifies everyone whom the rules name; notifications that are stored already stay. A rule that fails does
 * not stop the others: its error is thrown when they are done.
 */
export const sendNotificationsOf = async (
  deps: SendingDeps,
  message: ChangeMessage,
): Promise<void> => {
  const { entity_key: key, operation, action } = message
  const entity = deps.catalog.entities.get(key)
  if (!entity) throw new Error(`The project has no entity "${key}" any more.`)
  const errors: Error[] = []
  for (const matched of matchRules(entity.definition, operation, action ?? undefined))
    try {
      await deps.batcher(`${key} ${matched.index}`, message, (messages, batch) =>
        applyRule({ ...deps, batchPool: batch }, entity, matched, messages),
      )
    } catch (error) {
      errors.push(
        new Error(`notifications[${matched.index}]: ${errorText(error)}`, { cause: error }),
      )
    }
  throwAll(errors)
}

const throwAll = (errors: readonly Error[]): void => {
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1)
    throw new AggregateError(errors, errors.map(({ message: text }) => text).join(' '))
}

/**
 * Applies a rule to a batch of changes, and returns a promise for each of them. They end together, so that
 * the next batch is as large; a change with very many users does not delay the others.
 */
const applyRule = async (
  { batchPool, ...deps }: SendingDeps & { readonly batchPool: Pool },
  entity: Entity,
  matched: MatchedRule,
  messages: readonly ChangeMessage[],
): Promise<Promise<void>[]> => {
  const matches = await evaluateRules({ ...deps, pool: batchPool }, entity, matched.rule, messages)
  const notified = messages.map(async (message, index) => {
    const match = matches[index]
    if (match) await notifyMatched(deps, match, matched, message)
  })
  if (!hasGroups(matched.rule.recipient)) await Promise.allSettled(notified)
  return notified
}

/** Notifies the users of a rule of one change, some thousands at a time. */
const notifyMatched = async (
  deps: SendingDeps,
  match: RuleMatch,
  { index, rule }: MatchedRule,
  message: ChangeMessage,
): Promise<void> => {
  const { entity_key: entityKey, entity_id: entityId, event: id, at, operation } = message
  const { traceparent } = message
  const event = { id, rule: String(index), entityKey, entityId, at, traceparent }
  const outgoing = { operation, rule, data: match.data }
  const groups = await findGroups(deps.pool, rule.recipient)
  const report = createReport()
  await forEachOf(
    listCandidates(deps.pool, match, groups),
    largeBatchesAtOnce,
    async (candidates) => {
      const users = report.withoutSkipped(candidates)
      if (users.length === 0) return
      const notified = await runInLane(deps, users.length, async () => {
        const { recipients, unreadDueDates } = await renderContents(deps, match, users)
        report.addUnreadDueDates(unreadDueDates)
        return notifyUsers(deps, { event, recipients, outgoing })
      })
      report.add(notified)
    },
  )
  report.end(deps.observe, event, groups)
}
