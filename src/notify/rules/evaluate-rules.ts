/**
 * Evaluates a notification rule for a change: whether it applies, the data of its templates and its users.
 * Both sending and explaining use this.
 */
import type { Permissions } from '../../auth/permissions.ts'
import { ownersOf, type Values } from '../../auth/visibility.ts'
import type { Pool } from '../../database/pool.ts'
import { type Sql, table } from '../../database/sql.ts'
import { type Catalog, type Entity, getEntity } from '../../definitions/catalog.ts'
import type { NotificationRule } from '../../definitions/notification-matching.ts'
import { theActor } from '../../definitions/schemas/notification-rule.ts'
import type { FunctionAction } from '../../functions/function-context.ts'
import {
  actorOwners,
  actorPaths,
  addressAt,
  type EventVisibility,
  keptVisibility,
} from '../../outbox/events/event-visibility.ts'
import type { EventData } from '../../outbox/events/notification-event.ts'
import type { Condition } from '../../query/criteria/criteria.ts'
import { parseWhere } from '../../query/criteria/parse-criteria.ts'
import type { ChangeMessage } from '../../records/write/change-events.ts'
import { compileTakers } from '../../workflow/workflow.ts'
import type { TemplateData } from '../content/render-content.ts'
import type { RuleContent } from '../content/rule-content.ts'
import { byId, idIn, loadPaths, nest } from '../content/template-data.ts'
import {
  type Candidate,
  type Groups,
  hasGroups,
  type RecipientQuery,
  type RecipientRules,
  type RecordTakers,
  resolveFieldUsers,
  resolveRecipients,
  taker,
} from './resolve-recipients.ts'
import { planRule, type RulePlan } from './rule-plan.ts'

/** What rules are evaluated with. */
export type EngineDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  /** The zone in which times without an offset are read. */
  readonly timeZone: string
}

/** A rule that applies to a change: everything but the recipients themselves. */
export type RuleMatch = {
  readonly entity: Entity
  readonly content: RuleContent
  /** Data for templates that everybody may read. */
  readonly common: Pick<TemplateData, 'entity' | 'action' | 'comment'>
  /** Data of the record and of the actor, to be shown as far as each recipient may read it. */
  readonly record: Values
  readonly actor: Values
  readonly sight: EventVisibility
  readonly recipientRules: RecipientRules
  readonly recipientQuery: RecipientQuery
  /** The users of the fields, if the rule names no groups. */
  readonly fieldUsers?: readonly Candidate[]
  /** What deliveries may read besides the recipient. */
  readonly data: EventData
}

/**
 * One for each message; undefined if the record does not exist any more or the condition of the rule does
 * not hold. `source` has the rows of records that are not written yet.
 */
export const evaluateRules = async (
  deps: EngineDeps,
  entity: Entity,
  rule: NotificationRule,
  messages: readonly ChangeMessage[],
  source?: Sql,
): Promise<(RuleMatch | undefined)[]> => {
  const plan = planRule(deps, entity, rule)
  const { recipient } = rule
  const recipientRules: RecipientRules = {
    recipient,
    readers: deps.permissions.readersOf(entity),
    ...(recipient.canTake !== undefined && {
      takers: takersOf(deps, entity, recipient.canTake, source ?? table(entity)),
    }),
  }
  const changes = await loadChanges(deps, plan, messages, source)
  const matches = changes.map((change) => matchOf(plan, recipientRules, change))
  if (hasGroups(recipient)) return matches
  const queries = matches.flatMap((match) => match?.recipientQuery ?? [])
  const candidates = await resolveFieldUsers(deps.pool, recipientRules, queries)
  return matches.map((match) => match && { ...match, fieldUsers: candidates.shift() ?? [] })
}

const takersOf = (deps: EngineDeps, entity: Entity, action: string, source: Sql): RecordTakers => ({
  ...compileTakers(deps, entity, action, taker),
  source,
})

/** Everyone whom the rule names, some thousands at a time. */
export const listCandidates = (
  pool: Pool,
  { recipientRules: rules, recipientQuery, fieldUsers }: RuleMatch,
  groups: Groups,
): AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]> =>
  fieldUsers
    ? [fieldUsers]
    : resolveRecipients(pool, { ...recipientQuery, rules, groupIds: groups.ids })

type Change = {
  readonly message: ChangeMessage
  /** Records for which the condition holds. */
  readonly record: Values | undefined
  /** The actors, also those who were removed since. */
  readonly actor: Values | undefined
}

const loadChanges = async (
  { pool, catalog, timeZone }: EngineDeps,
  { entity, rule, paths }: RulePlan,
  messages: readonly ChangeMessage[],
  source: Sql | undefined,
): Promise<Change[]> => {
  const recordIds = messages.map(({ entity_id }) => entity_id)
  const actorIds = messages.map(({ actor_id }) => actor_id)
  const [records, actors] = await Promise.all([
    loadPaths(pool, {
      catalog,
      entity,
      timeZone,
      source,
      where: both(idIn(recordIds), rule.condition),
      paths: ['id', ...Object.values(paths.record).flat()],
    }),
    loadPaths(pool, {
      catalog,
      entity: getEntity(catalog, 'user'),
      timeZone,
      where: withRemoved(idIn(actorIds)),
      paths: ['id', ...paths.actor],
    }),
  ])
  const [recordById, actorById] = [byId(records), byId(actors)]
  return messages.map((message) => ({
    message,
    record: recordById.get(message.entity_id),
    actor: actorById.get(message.actor_id),
  }))
}

const matchOf = (
  { entity, named: namedAs, content, paths, rule }: RulePlan,
  recipientRules: RecipientRules,
  { message, record, actor: user }: Change,
): RuleMatch | undefined => {
  if (!record) return undefined
  const actor = user ?? new Map<string, unknown>()
  const { named, delivered, userFields, own, entitled, owners } = paths.record
  const common = {
    entity: { key: entity.key, name: namedAs.name },
    action: describeAction(namedAs, message) ?? {},
    comment: message.comment,
  }
  const [ownUsers, entitledUsers] = [usersAt(record, own), usersAt(record, entitled)]
  const sight = {
    showsHidden: rule.recipient.showHidden === true,
    skipsRights: rule.recipient.skipRightsCheck === true,
    record: ownersOf(pick(record, owners), ownUsers, entitledUsers),
    actor: actorOwners(user),
  }
  return {
    entity,
    content,
    common,
    sight,
    actor,
    recipientRules,
    record: pick(record, named),
    data: {
      ...common,
      record: nest(pick(record, delivered)),
      actor: nest(pick(actor, actorPaths)),
      reply_to: replyToOf(rule, record, actor),
      sight: keptVisibility(sight),
    },
    recipientQuery: {
      entityId: message.entity_id,
      fieldUsers: usersAt(record, userFields),
      actorId: message.actor_id,
      ownUsers,
      entitledUsers,
    },
  }
}

const replyToOf = (
  { replyTo: path }: NotificationRule,
  record: Values,
  actor: Values,
): EventData['reply_to'] => {
  if (path === undefined) return undefined
  const address = path === theActor ? actor.get('email') : record.get(addressAt(path))
  return typeof address === 'string' && address !== '' ? { path, address } : undefined
}

const usersAt = (record: Values, paths: readonly string[]): number[] =>
  paths.map((path) => record.get(path)).filter((id) => typeof id === 'number')

const pick = (values: Values, paths: readonly string[]): Values =>
  new Map(paths.map((path) => [path, values.get(path)]))

/** The condition for users, also removed ones: their names stay. */
export const withRemoved = (condition: Condition): Condition => ({
  kind: 'and',
  conditions: [
    condition,
    { kind: 'compare', field: '_is_deleted', operator: '$null', value: false, at: '_is_deleted' },
  ],
})

const both = (condition: Condition, where: unknown): Condition => {
  if (where === undefined) return condition
  // The definition was checked, so it has no issues of shape.
  const { condition: more } = parseWhere(where, '$where')
  return more ? { kind: 'and', conditions: [condition, more] } : condition
}

/** The action of a change, with its name and the names of its steps; undefined if there was none. */
export const describeAction = (
  entity: Entity,
  { action }: Pick<ChangeMessage, 'action'>,
): FunctionAction | undefined => {
  if (!action) return undefined
  const steps = entity.definition.workflow?.steps ?? []
  const nameOf = (key: string) => steps.find((step) => step.key === key)?.name ?? key
  const taken = steps
    .find((step) => step.key === action.from)
    ?.actions?.find(({ key }) => key === action.key)
  return {
    ...action,
    name: taken?.name ?? action.key,
    from_name: nameOf(action.from),
    to_name: nameOf(action.to),
  }
}
