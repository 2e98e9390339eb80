/** Explains whom an operation would notify, and why or why not; nothing is sent or stored. */

import { type Pool, queryRow } from '../../database/pool.ts'
import { int, notDeleted, sql, table } from '../../database/sql.ts'
import { type Entity, getEntity } from '../../definitions/catalog.ts'
import {
  matchRules,
  notificationHook,
  type TakenAction,
} from '../../definitions/notification-matching.ts'
import type { NotifiedOperation } from '../../definitions/operations.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { errorText, validationError } from '../../errors.ts'
import { unknownRecord } from '../../records/read-records.ts'
import type { ChangeMessage } from '../../records/write/change-events.ts'
import { findTarget, type StandingRecord } from '../../workflow/action-kinds.ts'
import { renderContent, type TemplateData } from '../content/render-content.ts'
import { loadPaths } from '../content/template-data.ts'
import { contentOf } from '../inbox/notification.ts'
import {
  type EngineDeps,
  evaluateRules,
  listCandidates,
  type RuleMatch,
  withRemoved,
} from './evaluate-rules.ts'
import { selfFor, viewsOf } from './recipient-view.ts'
import { type Candidate, findGroups } from './resolve-recipients.ts'
import { userPaths } from './rule-plan.ts'

export type ExplainRequest = {
  readonly entityKey: string
  readonly entityId: number
  readonly operation: NotifiedOperation
  /** Key of the action; only with `proceedToStep`. */
  readonly action: string | undefined
  readonly actorId: number
  /** Of due dates. */
  readonly language: string
}

// A group may have any number of members; an explanation is read by a person.
const maxRecipients = 100

/** Every rule of the definition, with its effect. */
export const explainNotifications = async (deps: EngineDeps, asked: ExplainRequest) => {
  const entity = getEntity(deps.catalog, asked.entityKey)
  const message = await imagine(deps, entity, asked)
  const matched = new Set(
    matchRules(entity.definition, asked.operation, message.action ?? undefined).map(
      ({ index }) => index,
    ),
  )
  const hooks = entity.definition.hooks ?? []
  const entries = []
  for (const [index, rule] of (entity.definition.notifications ?? []).entries()) {
    const head = { index, operation: rule.operation, action: rule.action ?? null }
    const [match] = matched.has(index) ? await evaluateRules(deps, entity, rule, [message]) : []
    if (!matched.has(index))
      entries.push({ ...head, matches: false, reason: 'another operation or action' })
    else if (!match) entries.push({ ...head, matches: false, reason: 'its condition is not met' })
    else
      entries.push({
        ...head,
        matches: true,
        ...(await explainMatch(deps, match, asked.language)),
      })
  }
  return { isActive: hooks.some(({ functionName }) => functionName === notificationHook), entries }
}

const explainMatch = async (deps: EngineDeps, match: RuleMatch, language: string) => {
  const { pool, timeZone } = deps
  const groups = await findGroups(pool, match.recipientRules.recipient)
  const named: Candidate[] = []
  let count = 0
  for await (const batch of listCandidates(pool, match, groups)) {
    named.push(...batch.slice(0, maxRecipients - named.length))
    count += batch.length
  }
  const users = new Map((await loadNamed(deps, match, named)).map((user) => [user.get('id'), user]))
  const viewOf = viewsOf(deps, match)
  const recipients = named.map(({ id, reason, role }) => {
    const user = users.get(id) ?? new Map<string, unknown>()
    const base = { user: { id, full_name: user.get('full_name') ?? null }, told: reason === null }
    if (reason !== null) return { ...base, reason }
    const person = { userId: id, roleKey: role ?? '' }
    const data = { ...viewOf(person).data, recipient: selfFor(deps, match, person, user) }
    return { ...base, reason, ...tryContent(match, data, { timeZone, language }) }
  })
  return { count, missingGroups: groups.missing, recipients }
}

/** The content as the user would read it, or why its templates fail. */
const tryContent = (
  { content }: RuleMatch,
  data: TemplateData,
  { timeZone, language }: { readonly timeZone: string; readonly language: string },
) => {
  try {
    return { content: contentOf(renderContent(content, data, timeZone), language) }
  } catch (error) {
    return { fault: errorText(error) }
  }
}

/** Data about the users for the response and the templates, also of removed users. */
const loadNamed = (
  { catalog, pool, timeZone }: EngineDeps,
  { content }: RuleMatch,
  named: readonly Candidate[],
) => {
  const ids = named.map(({ id }) => id)
  const paths = ['id', 'full_name', ...userPaths(catalog, 'recipient', content)]
  return loadPaths(pool, {
    catalog,
    entity: getEntity(catalog, 'user'),
    where: withRemoved({ kind: 'compare', field: 'id', operator: '$in', value: ids, at: 'id' }),
    paths: [...new Set(paths)],
    timeZone,
  })
}

/** The message that the operation would write if the caller did it now. */
const imagine = async (
  { pool }: EngineDeps,
  entity: Entity,
  { entityId, operation, action, actorId }: ExplainRequest,
): Promise<ChangeMessage> => {
  const step = entity.hasWorkflow ? sql`t._step` : sql`NULL`
  const select = sql`
    SELECT ${step} AS step
    FROM ${table(entity)} t
    WHERE t.id = ${int(entityId)} AND ${notDeleted('t')}`
  const record = await queryRow<{ step: string | null }>(pool, select)
  if (!record) throw unknownRecord(entity, entityId)
  const place = { entity, id: entityId, step: record.step ?? '' }
  return {
    event: '',
    entity_key: entity.key,
    entity_id: entityId,
    operation,
    action: operation === 'proceedToStep' ? await findAction(pool, place, action ?? '') : null,
    comment: null,
    actor_id: actorId,
    at: new Date().toISOString(),
  }
}

/** The action of a key, from the record's step if it is open there. */
const findAction = async (
  pool: Pool,
  { entity, id, step }: StandingRecord,
  key: string,
): Promise<TakenAction> => {
  const actions = (entity.definition.workflow?.steps ?? []).flatMap((from) =>
    (from.actions ?? []).map((action) => ({ ...action, action, from: from.key })),
  )
  const named = actions.filter((action) => action.key === key)
  const found = named.find(({ from }) => from === step) ?? named[0]
  if (found) {
    const { kind, form, from, action } = found
    // If it leads nowhere now, the record stays in its step.
    const to = (await findTarget(pool, { entity, id, step: from }, action)) ?? from
    return { key, kind, form, from, to }
  }
  const near = didYouMean(
    key,
    actions.map((action) => action.key),
  )
  throw validationError('request.invalid', [
    { path: 'action', message: `is not an action of ${entity.key}${near}` },
  ])
}
