/**
 * What one notification entry makes of one change: whether it applies, the data of its templates and
 * the users that it names. Sending and explaining both begin here.
 */

import type { Permissions } from '../../auth/permissions.ts'
import { ownerPaths, ownersOf, type SightDeps, type Values } from '../../auth/sight.ts'
import type { Pool, Queryable } from '../../database/pool.ts'
import { type Catalog, type Entity, getEntity } from '../../definitions/catalog.ts'
import type { NotificationEntry } from '../../definitions/notification-matching.ts'
import type { MailingData } from '../../deliveries/delivery.ts'
import {
  actorMailed,
  actorOwners,
  keptSight,
  mailPaths,
  type Sight,
} from '../../deliveries/event-data/event-sight.ts'
import type { FunctionAction } from '../../functions/function-context.ts'
import type { Condition } from '../../query/criteria.ts'
import { parseWhere } from '../../query/parse-criteria.ts'
import type { ChangeMessage } from '../../records/write/after-change.ts'
import { type EntryContent, readContent } from '../content/entry-content.ts'
import type { TemplateData } from '../content/render-content.ts'
import { byId, idIn, loadPaths, nest, pathsOf } from '../content/template-data.ts'
import {
  type Candidate,
  type Groups,
  hasGroups,
  type RecipientQuery,
  type RecipientRules,
  resolveFieldUsers,
  resolveRecipients,
} from './resolve-recipients.ts'

/** What the engine works with. */
export type EngineDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
  /** The zone in which times without an offset are read. */
  readonly timeZone: string
}

/** The entry, ready to be told: everything but the recipients themselves. */
export type Notice = {
  readonly entity: Entity
  readonly content: EntryContent
  /** What templates read that everybody may. */
  readonly common: Pick<TemplateData, 'entity' | 'action' | 'comment'>
  /** What they read of the record and of who acted, to be shown as far as each recipient may read it. */
  readonly record: Values
  readonly actor: Values
  readonly sight: Sight
  readonly rules: RecipientRules
  readonly wish: RecipientQuery
  /** Whom the fields name, where the entry tells no groups. */
  readonly fieldUsers?: readonly Candidate[]
  /** What templates of e-mails read beside the recipient. */
  readonly mail: MailingData
}

/** An entry of an entity, whatever record it is applied to. */
type Told = {
  readonly entity: Entity
  readonly entry: NotificationEntry
  readonly reading: Reading
}

type Preparing = Omit<EngineDeps, 'pool'> & { readonly database: Queryable }

/** One for each message; undefined where the record is gone or the entry's condition does not hold. */
export const prepareNotices = async (
  deps: Preparing,
  entity: Entity,
  entry: NotificationEntry,
  messages: readonly ChangeMessage[],
): Promise<(Notice | undefined)[]> => {
  const told = { entity, entry, reading: readingOf(deps, entity, entry) }
  const rules = { recipient: entry.recipient, readers: deps.permissions.readersOf(entity) }
  const found = await load(deps, told, messages)
  const notices = found.map((loaded) => noticeOf(told, loaded))
  if (hasGroups(entry.recipient)) return notices.map((notice) => notice && { ...notice, rules })
  const wishes = notices.flatMap((notice) => notice?.wish ?? [])
  const candidates = await resolveFieldUsers(deps.database, rules, wishes)
  return notices.map(
    (notice) => notice && { ...notice, rules, fieldUsers: candidates.shift() ?? [] },
  )
}

const noticeOf = ({ entity, entry, reading }: Told, { message, record, actor }: Loaded) => {
  if (!record) return undefined
  const users = (paths: readonly string[]) =>
    paths.map((path) => record.get(path)).filter((id) => typeof id === 'number')
  const pick = (values: Values, paths: readonly string[]): Values =>
    new Map(paths.map((path) => [path, values.get(path)]))
  const { content, named, mailed, userFields, own, entitled } = reading
  const common = {
    entity: { key: entity.key, name: entity.name },
    action: describeAction(entity, message) ?? {},
    comment: message.comment,
  }
  const sight = {
    showsHidden: entry.recipient.showHidden === true,
    skipsRights: entry.recipient.skipRightsCheck === true,
    record: ownersOf(pick(record, reading.owners), users(own), users(entitled)),
    actor: actorOwners(actor),
  }
  const actorValues = actor ?? new Map<string, unknown>()
  const mailedActor = nest(pick(actorValues, actorMailed))
  return {
    ...{ entity, content, common, sight },
    record: pick(record, named),
    actor: actorValues,
    mail: {
      ...common,
      record: nest(pick(record, mailed)),
      actor: mailedActor,
      sight: keptSight(sight),
    },
    wish: {
      fieldUsers: users(userFields),
      actorId: message.actor_id,
      ownUsers: users(own),
      entitledUsers: users(entitled),
    },
  }
}

/** Everyone who is named, some thousands at a time. */
export const candidatesOf = (
  pool: Pool,
  { rules, wish, fieldUsers }: Notice,
  groups: Groups,
): AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]> =>
  fieldUsers ? [fieldUsers] : resolveRecipients(pool, { ...wish, rules, groupIds: groups.ids })

/** Paths of users that templates read below `actor` or `recipient`. */
export const pathsOfUser = (catalog: Catalog, root: string, content: EntryContent): string[] =>
  pathsOf(catalog, getEntity(catalog, 'user'), root, Object.values(content))

/** What is the same for all records of an entry: its templates, and the paths that are read. */
type Reading = {
  readonly content: EntryContent
  /** Of the record: what the content names, users who are told, `own` ones, those who may always read it, what e-mails may name. */
  readonly named: readonly string[]
  readonly userFields: readonly string[]
  readonly own: readonly string[]
  readonly entitled: readonly string[]
  readonly mailed: readonly string[]
  readonly actor: readonly string[]
  /** Who created or owns what these walk through. */
  readonly owners: readonly string[]
}

const readings = new WeakMap<NotificationEntry, Reading>()

const readingOf = (deps: SightDeps, entity: Entity, entry: NotificationEntry): Reading => {
  const known = readings.get(entry)
  if (known) return known
  const { catalog } = deps
  const content = readContent(entity, entry, catalog.locale)
  const named = pathsOf(catalog, entity, 'record', Object.values(content))
  const mailed = mailPaths(catalog, entity)
  const reading = {
    ...{ content, named, mailed },
    userFields: entry.recipient.userFields ?? [],
    own: ['_created_by', ...(entity.hasOwner ? ['_owned_by'] : [])],
    entitled: entity.key === 'task' ? ['assigne'] : [],
    actor: [...pathsOfUser(catalog, 'actor', content), ...actorMailed, '_created_by'],
    owners: ownerPaths(deps, entity, [...named, ...mailed]),
  }
  readings.set(entry, reading)
  return reading
}

type Loaded = {
  readonly message: ChangeMessage
  /** Where the condition holds. */
  readonly record: Values | undefined
  /** Who acted, removed since or not. */
  readonly actor: Values | undefined
}

const load = async (
  { database, catalog, timeZone }: Preparing,
  { entity, entry, reading }: Told,
  messages: readonly ChangeMessage[],
): Promise<Loaded[]> => {
  const { named, userFields, own, entitled, mailed, owners } = reading
  const recordIds = messages.map(({ entity_id }) => entity_id)
  const actorIds = messages.map(({ actor_id }) => actor_id)
  const [records, actors] = await Promise.all([
    loadPaths(database, {
      ...{ catalog, entity, timeZone },
      where: both(idIn(recordIds), entry.condition),
      paths: ['id', ...named, ...userFields, ...own, ...entitled, ...mailed, ...owners],
    }),
    loadPaths(database, {
      ...{ catalog, entity: getEntity(catalog, 'user'), timeZone },
      where: withRemoved(idIn(actorIds)),
      paths: ['id', ...reading.actor],
    }),
  ])
  const [recordOf, actorOf] = [byId(records), byId(actors)]
  return messages.map((message) => ({
    message,
    record: recordOf.get(message.entity_id),
    actor: actorOf.get(message.actor_id),
  }))
}

/** The condition for users who may have been removed since; their names stay. */
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

/** The action of a change, with what people call it and its steps; undefined where there was none. */
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
