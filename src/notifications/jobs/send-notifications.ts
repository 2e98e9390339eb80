/** The job that notifies users of a change: rules → recipients → contents → inbox and channels. */
import type { Entity } from '../../definitions/catalog.ts'
import { type MatchedRule, matchRules } from '../../definitions/notification-matching.ts'
import { errorText } from '../../errors.ts'
import type { ChangeMessage } from '../../records/write/change-events.ts'
import { evaluateRules, listCandidates, type RuleMatch } from '../rules/evaluate-rules.ts'
import { findGroups } from '../rules/resolve-recipients.ts'
import { notifyUsers, runExclusively, type SendingDeps } from './notify-users.ts'
import { renderContents } from './render-contents.ts'
import { createReport } from './report-notified.ts'

/**
 * Notifies everyone whom the rules name; what is stored already is left alone. A rule that fails holds
 * no other one up: the error is thrown when the others are done.
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
      await applyRule(deps, entity, matched, message)
    } catch (error) {
      errors.push(
        new Error(`notifications[${matched.index}]: ${errorText(error)}`, { cause: error }),
      )
    }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1)
    throw new AggregateError(errors, errors.map(({ message: text }) => text).join(' '))
}

/** Notifies whom a rule names of one change, some thousands at a time. */
const applyRule = async (
  deps: SendingDeps,
  entity: Entity,
  { index, rule }: MatchedRule,
  message: ChangeMessage,
): Promise<void> => {
  const match = await evaluateRule(deps, entity, { index, rule }, message)
  if (!match) return
  const { entity_key: entityKey, entity_id: entityId, event: id, at, operation } = message
  const event = { id, rule: String(index), entityKey, entityId, at }
  const outgoing = { operation, rule, data: match.data }
  const groups = await findGroups(deps.pool, rule.recipient)
  const report = createReport()
  for await (const candidates of listCandidates(deps.pool, match, groups)) {
    const users = report.withoutSkipped(candidates)
    if (users.length === 0) continue
    const notified = await runExclusively(deps, users.length, async () => {
      const recipients = await renderContents(deps, match, users)
      return notifyUsers(deps, { event, recipients, outgoing })
    })
    report.add(notified)
  }
  report.end(deps.observe, event, groups)
}

/** Evaluates a rule for one change, together with others that it is to be evaluated for now. */
const evaluateRule = (
  deps: SendingDeps,
  entity: Entity,
  { index, rule }: MatchedRule,
  message: ChangeMessage,
): Promise<RuleMatch | undefined> =>
  deps.batcher(`${entity.key} ${index}`, message, (messages, database) =>
    evaluateRules({ ...deps, database }, entity, rule, messages),
  )
