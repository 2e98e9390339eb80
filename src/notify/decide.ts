/** Decides who is notified of changes by a rule, and why or why not: for sending, explaining and previewing. */
import type { Permissions } from '../auth/permissions.ts'
import { entitledOrReadableBy, grantedBy, type VisibilityDeps } from '../auth/readable-records.ts'
import type { Values } from '../auth/readable-values.ts'
import type { Pool, Queryable } from '../database/pool.ts'
import { type Sql, table } from '../database/sql.ts'
import { type Catalog, type Entity, getEntity, namedEntity } from '../definitions/catalog.ts'
import { scheduleOf } from '../definitions/date-rules.ts'
import type { NotificationRule } from '../definitions/notification-rules.ts'
import { commentOperations } from '../definitions/operations.ts'
import { theActor } from '../definitions/schemas/notification-rule.ts'
import {
  actorPaths,
  addressAt,
  type EventData,
  type EventReachPlan,
  type EventVisibility,
  planEventReach,
  recordPaths,
  storedVisibility,
} from '../outbox/events/notification-event.ts'
import { describeAction } from '../outbox/events/printable-record.ts'
import type { Condition } from '../query/criteria/criteria.ts'
import { parseWhere } from '../query/criteria/parse-criteria.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'
import { holder } from '../users/user-store.ts'
import { compileTakers } from '../workflow/takers.ts'
import { type RuleContent, readContent, type TemplateData } from './content.ts'
import {
  byId,
  idIn,
  loadPaths,
  nest,
  pathsOf,
  readSaid,
  rowsOfChanges,
  type SaidNow,
  toldText,
} from './event-values.ts'
import { followedBy } from './followers.ts'
import {
  findGroups,
  type Groups,
  type NamedUser,
  presentAlias,
  type RecipientQuery,
  type RecipientRules,
  readNamedUsers,
} from './recipients.ts'

/** What rules are decided with. */
export type DecideDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  /** The zone in which times without an offset are read. */
  readonly timeZone: string
}

/** A change to which a rule applies: everything but the recipients themselves. */
export type RuleMatch = {
  readonly message: ChangeMessage
  readonly entity: Entity
  readonly rule: NotificationRule
  /** Its templates in the language of a catalog, which have texts of their own where the rule has none. */
  readonly contentIn: (catalog: Catalog) => RuleContent
  /** Data for templates that every recipient may read, with the names of a catalog. */
  readonly commonIn: (
    catalog: Catalog,
  ) => Pick<TemplateData, 'entity' | 'action' | 'comment'> & Pick<EventData, 'mentioned'>
  /** Data of the record and of the actor, to be shown as far as each recipient may read it. */
  readonly record: Values
  /** What a change found, of the fields that the content shows from before it. */
  readonly before: Values
  readonly actor: Values
  readonly visibility: EventVisibility
  readonly recipientQuery: RecipientQuery
  /** The data of the deliveries, without the recipient. */
  readonly data: EventData
}

/** Users whom a rule names for a change. */
export type MatchedUsers = { readonly match: RuleMatch; readonly users: readonly NamedUser[] }

type Decision = {
  /** The changes to which the rule applies: the record exists and the condition holds. */
  readonly matches: readonly RuleMatch[]
  readonly groups: Groups
  /** The users whom the rule names, each once for a change, some thousands at a time. */
  readonly readUsers: (database: Queryable) => AsyncGenerator<readonly MatchedUsers[]>
}

type Question = {
  readonly entity: Entity
  readonly rule: NotificationRule
  /** Of a record only one, if they have what changed. */
  readonly messages: readonly ChangeMessage[]
  /** The rows of records that are not written yet. */
  readonly source?: Sql | undefined
}

/** To which of the changes the rule applies, and whom it names for each of them. */
export const decide = async (deps: DecideDeps, question: Question): Promise<Decision> => {
  const { entity, rule, messages } = question
  const { recipient } = rule
  const left = question.source ? undefined : rowsLeftBy(entity, rule, messages)
  const source = question.source ?? left
  const plan = planRule(deps, entity, rule)
  const [groups, changes] = await Promise.all([
    findGroups(deps.pool, recipient),
    loadChanges(deps, plan, messages, source),
  ])
  const matches = changes.flatMap((change) => matchOf(deps.catalog, plan, change) ?? [])
  const rules: RecipientRules = {
    recipient,
    mayRead: entitledOrReadableBy(deps, entity, 't', holder),
    reach: plan.reach,
    source: source ?? table(entity),
    // Since the change, a record may have become unreadable for those who could read it then.
    ...(left && {
      present: {
        rows: table(entity),
        mayRead: entitledOrReadableBy(deps, entity, presentAlias, holder),
      },
    }),
    ...(recipient.canTake !== undefined && {
      takers: compileTakers(deps, entity, recipient.canTake, holder),
    }),
    ...(recipient.followers && { followed: followedBy(entity) }),
    ...(isOfComments(rule) && {
      seesInternal: grantedBy(deps, 'internalComments', entity, 't', holder),
    }),
  }
  async function* readUsers(database: Queryable): AsyncGenerator<readonly MatchedUsers[]> {
    const queries = matches.map(({ recipientQuery }) => recipientQuery)
    for await (const lists of readNamedUsers(database, { rules, groupIds: groups.ids }, queries))
      yield matches.map((match, index) => ({ match, users: lists[index] ?? [] }))
  }
  return { matches, groups, readUsers }
}

/** The rows of records as the changes left them, which a rule of changes is about; undefined of another rule. */
const rowsLeftBy = (
  entity: Entity,
  rule: NotificationRule,
  messages: readonly ChangeMessage[],
): Sql | undefined =>
  rule.operation === 'change' && messages.some(({ changes }) => changes)
    ? rowsOfChanges(entity, messages, 'after')
    : undefined

type Change = {
  readonly message: ChangeMessage
  /** Of a comment, what it says now; undefined of one that was removed. */
  readonly said: SaidNow | undefined
  /** Records for which the condition holds. */
  readonly record: Values | undefined
  /** The actors, also those who were removed since. */
  readonly actor: Values | undefined
}

const loadChanges = async (
  { pool, catalog, timeZone }: DecideDeps,
  { entity, rule, paths }: RulePlan,
  messages: readonly ChangeMessage[],
  source: Sql | undefined,
): Promise<Change[]> => {
  const ofRecords = idIn(messages.map(({ entity_id }) => entity_id))
  // When the job runs, the record is removed.
  const asked = rule.operation === 'remove' ? withRemoved(ofRecords) : ofRecords
  const actorIds = messages.flatMap(({ actor_id }) => actor_id ?? [])
  const of = { catalog, entity, timeZone }
  const isTold = rule.before !== undefined && messages.some(({ changes }) => changes)
  const [records, matchedBefore, actors, said] = await Promise.all([
    loadPaths(pool, {
      ...of,
      source,
      where: both(asked, rule.condition),
      paths: ['id', ...Object.values(paths.record).flat()],
    }),
    isTold
      ? loadPaths(pool, {
          ...of,
          source: rowsOfChanges(entity, messages, 'before'),
          where: both(asked, rule.before),
          paths: ['id'],
        })
      : undefined,
    loadPaths(pool, {
      catalog,
      entity: getEntity(catalog, 'user'),
      timeZone,
      where: withRemoved(idIn(actorIds)),
      paths: ['id', ...paths.actor],
    }),
    readSaid(pool, messages),
  ])
  const [recordById, actorById] = [byId(records), byId(actors)]
  const before = matchedBefore && byId(matchedBefore)
  return messages.map((message) => {
    const { entity_id: id, actor_id, due } = message
    const record = before?.has(id) === false ? undefined : recordById.get(id)
    const isMoved = due !== undefined && record?.get(due.column) !== due.value
    const shown = isMoved ? undefined : record
    return { message, said: said(message), record: shown, actor: actorById.get(actor_id) }
  })
}

const matchOf = (
  catalog: Catalog,
  { entity, contentIn, paths, rule }: RulePlan,
  { message, said, record, actor: user }: Change,
): RuleMatch | undefined => {
  if (!record || (message.said && !said)) return undefined
  const actor = user ?? new Map<string, unknown>()
  const { shown, before, delivered, userFields, followed } = paths.record
  const commonIn = (inLanguage: Catalog) => {
    const named = namedEntity(inLanguage, entity)
    return {
      entity: { key: entity.key, name: named.name },
      action: describeAction(named, message) ?? {},
      comment: said ? toldText(said, inLanguage.locale) : message.comment,
      ...(said && { mentioned: said.names }),
    }
  }
  const visibility = {
    showsHidden: rule.recipient.showHidden === true,
    skipsRights: rule.recipient.skipRightsCheck === true,
  }
  return {
    message,
    entity,
    rule,
    contentIn,
    commonIn,
    visibility,
    actor,
    record: pick(record, shown),
    before: new Map(before.map((path) => [path, valueBefore(message, path, record)])),
    data: {
      ...commonIn(catalog),
      record: nest(pick(record, delivered)),
      actor: nest(pick(actor, actorPaths)),
      reply_to: replyToOf(rule, record, actor),
      sight: storedVisibility(visibility),
      ...(message.said?.comment_id && { comment_id: message.said.comment_id }),
    },
    recipientQuery: {
      entityId: message.entity_id,
      fieldUsers: [
        ...usersAt(record, userFields),
        ...(rule.operation === 'mention' ? (message.said?.mentioned ?? []) : []),
      ],
      followedUsers: usersAt(record, followed),
      actorId: message.actor_id,
      at: message.at,
      isInternal: said?.isInternal === true,
      told: message.said?.told ?? [],
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

/** The value that a change found; of a field that it left as it was, the present one. */
const valueBefore = ({ changes }: ChangeMessage, path: string, record: Values): unknown => {
  const change = changes?.[path]
  return change ? (change.before ?? null) : record.get(path)
}

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
  const { condition: more } = parseWhere(where)
  return more ? { kind: 'and', conditions: [condition, more] } : condition
}

/** What is the same for all records of a rule: its templates, and the paths to read. */
type RulePlan = {
  readonly entity: Entity
  readonly rule: NotificationRule
  readonly contentIn: RuleMatch['contentIn']
  readonly paths: {
    readonly record: {
      /** Paths that the content shows. */
      readonly shown: readonly string[]
      /** Those that it shows from before a change. */
      readonly before: readonly string[]
      /** The date that is due. */
      readonly due: readonly string[]
      /** Paths that deliveries may show. */
      readonly delivered: readonly string[]
      /** The address that replies go to. */
      readonly replyTo: readonly string[]
      /** Users who are notified. */
      readonly userFields: readonly string[]
      /** Users who follow the record, of a rule for followers. */
      readonly followed: readonly string[]
    }
    readonly actor: readonly string[]
  }
  /** What is asked of each recipient. */
  readonly reach: EventReachPlan
}

const isOfComments = ({ operation }: NotificationRule): boolean =>
  commentOperations.some((one) => one === operation)

const plans = new WeakMap<NotificationRule, RulePlan>()

/** Created once for each rule. */
const planRule = (deps: VisibilityDeps, entity: Entity, rule: NotificationRule): RulePlan => {
  const existing = plans.get(rule)
  if (existing) return existing
  const { catalog } = deps
  const contentIn = keptContents(entity, rule)
  const content = contentIn(catalog)
  const texts = Object.values(content)
  const shown = ['record', 'names'].flatMap((root) => pathsOf(catalog, entity, root, texts))
  const due = scheduleOf(entity, rule)
  const delivered = recordPaths(catalog, entity)
  const replyTo =
    rule.replyTo === undefined || rule.replyTo === theActor ? [] : [addressAt(rule.replyTo)]
  const record = {
    shown,
    before: pathsOf(catalog, entity, 'before', texts),
    due: due ? [due.column] : [],
    delivered,
    replyTo,
    userFields: rule.recipient.userFields ?? [],
    followed: rule.recipient.followers ? followedBy(entity).paths : [],
  }
  const actor = [...userPaths(catalog, 'actor', content), ...actorPaths]
  const plan = {
    entity,
    rule,
    contentIn,
    paths: { record, actor },
    reach: planEventReach(deps, entity, { record: Object.values(record).flat(), actor }),
  }
  plans.set(rule, plan)
  return plan
}

/** The content of a rule in each locale, parsed once: readers have few. */
const keptContents = (entity: Entity, rule: NotificationRule): RuleMatch['contentIn'] => {
  const kept = new Map<string | undefined, RuleContent>()
  return (catalog) => {
    const { locale } = catalog
    const known = kept.get(locale) ?? readContent(namedEntity(catalog, entity), rule, locale)
    kept.set(locale, known)
    return known
  }
}

/** Paths of users that templates read below `actor` or `recipient`. */
export const userPaths = (catalog: Catalog, root: string, content: RuleContent): string[] =>
  pathsOf(catalog, getEntity(catalog, 'user'), root, Object.values(content))
