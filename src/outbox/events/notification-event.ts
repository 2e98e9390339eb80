/**
 * What a notification or a delivery is about: a rule applied to an event, its data for templates, and what of them a recipient
 * may read.
 */
import type { Person } from '../../auth/caller.ts'
import { type PersonSql, personOf, type VisibilityDeps } from '../../auth/readable-records.ts'
import {
  askedOf,
  mayReadActor,
  mayReadPath,
  planReach,
  type Reach,
  type ReachPlan,
  type ReachRow,
  reachesRecord,
  reachReader,
  selectReach,
} from '../../auth/readable-values.ts'
import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, join, type Sql, sql, table, text } from '../../database/sql.ts'
import { type Catalog, type Entity, getEntity } from '../../definitions/catalog.ts'
import { theActor } from '../../definitions/schemas/notification-rule.ts'
import { readableOfOthers } from '../../query/user-visibility.ts'

/** What an e-mail about an account is, and the id of its one-time code. */
export type AccountEmail = { readonly kind: 'code' | 'invitation'; readonly code_id: number }

export type NotificationEvent = {
  /** Identifies the event; the same for every attempt. */
  readonly id: string
  /** Identifies the rule: its index in the definition. */
  readonly rule: string
  readonly entityKey: string
  readonly entityId: number
  /** ISO time of the event; the same for every attempt. */
  readonly at: string
  /** The entry of the history that it is, if it is one. */
  readonly historyId?: number | undefined
  /** Of the job that notifies of it, if the change was traced. */
  readonly traceparent?: string | undefined
}

/** The parts of notifications that are the same for every recipient; the others are empty. */
export type SharedContent = {
  readonly title: string
  readonly message: string
  readonly url: string | null
}

/** What templates of deliveries read, other than the recipient. */
export type EventData = {
  readonly record: object
  readonly actor: object
  readonly entity: { readonly key: string; readonly name: string }
  readonly action: object
  readonly comment: string | null
  /** The comment on the record that it is about; it is not shown. */
  readonly comment_id?: number
  /** Names of the users whom a comment mentions, by their ids; they are not shown to those who may not know them. */
  readonly mentioned?: Readonly<Record<string, string>>
  /** The user field whose address replies go to, or the actor, and the address; it is not shown. */
  readonly reply_to?: { readonly path: string; readonly address: string } | undefined
  /** Decides with their roles what the recipients may read of it; it is not shown. */
  readonly sight?: StoredVisibility | undefined
  /** Of an e-mail about an account, which has nothing else. */
  readonly account?: AccountEmail
}

type StoredVisibility = {
  readonly shows_hidden: boolean
  /** Absent in mailings of earlier versions. */
  readonly skips_rights?: boolean
}

/** The fields of the actor that a delivery may show, whatever its template. */
export const actorPaths: readonly string[] = ['id', 'full_name', 'email']

/** Every field of the record, and the display field of each linked record. */
export const recordPaths = (catalog: Catalog, entity: Entity): string[] => {
  const links = [...entity.associations].flatMap(([key, { target }]) => {
    const display = catalog.entities.get(target ?? '')?.definition.displayField
    return display === undefined ? [] : [`${key}.${display}`]
  })
  return [...entity.columns.map(({ name }) => name), ...links]
}

/** What a rule lets its recipients read beyond their rights. */
export type EventVisibility = {
  /** The rule also shows what the recipients' roles may not read. */
  readonly showsHidden: boolean
  /** It also notifies users who may not read the record. */
  readonly skipsRights: boolean
}

/** The records of an event that a user may read: those on the paths of the record, and of the actor. */
export type EventReach = { readonly record: Reach; readonly actor: Reach }

/** A user with what they may read of an event. */
export type EventReader = Person & { readonly reach: EventReach }

/** How a statement asks for the reach of an event, of its record `t` and its actor `actor`. */
export type EventReachPlan = { readonly record: ReachPlan; readonly actor: ReachPlan }

export const planEventReach = (
  deps: VisibilityDeps,
  entity: Entity,
  paths: { readonly record: readonly string[]; readonly actor: readonly string[] },
): EventReachPlan => ({
  record: planReach(deps, entity, paths.record),
  actor: planReach(deps, getEntity(deps.catalog, 'user'), paths.actor, 'actor'),
})

/** Columns of a select list, which `eventReachReader` reads. */
export const selectEventReach = ({ record, actor }: EventReachPlan, person: PersonSql): Sql[] => [
  ...selectReach(record, 'r', person),
  ...selectReach(actor, 'a', person),
]

/** Whether a user may read the record of the event, by these columns of `alias`. */
export const reachesEventRecord = ({ record }: EventReachPlan, alias: string): Sql | undefined =>
  reachesRecord(record, 'r', alias)

export const eventReachReader = ({
  record,
  actor,
}: EventReachPlan): ((row: ReachRow) => EventReach) => {
  const [ofRecord, ofActor] = [reachReader(record, 'r'), reachReader(actor, 'a')]
  return (row) => ({ record: ofRecord(row), actor: ofActor(row) })
}

/** The joins of the actor, by an expression of the id, and of what the paths reach. */
export const joinReached = ({ record, actor }: EventReachPlan, actorId: Sql): Sql =>
  join(
    [
      ...record.joins,
      ...(actor.places.length > 0
        ? [sql` LEFT JOIN ${table('user')} actor ON actor.id = ${actorId}`, ...actor.joins]
        : []),
    ],
    '',
  )

/** The visibility as a mailing stores it until its e-mails are composed. */
export const storedVisibility = ({
  showsHidden,
  skipsRights,
}: EventVisibility): StoredVisibility => ({
  shows_hidden: showsHidden,
  skips_rights: skipsRights,
})

type Reading = {
  readonly entity: Entity
  readonly showsHidden: boolean
  readonly actorId: unknown
}

/** What a user may read of an event: paths of the record and of the actor, and the action. */
export const readerOf = (
  deps: VisibilityDeps,
  person: EventReader,
  { entity, showsHidden, actorId }: Reading,
) => {
  const { record, actor } = person.reach
  const users = getEntity(deps.catalog, 'user')
  const mayReadRecord = (path: string): boolean =>
    showsHidden || mayReadPath(deps, person, entity, path, record)
  return {
    mayReadRecord,
    mayReadActor: (path: string): boolean =>
      showsHidden || mayReadActor(deps, person, users, path, { id: actorId, reach: actor }),
    /** As far as the user may read the steps of the record: like its history, all or nothing. */
    actionOf: <A extends object>(action: A): A | Record<string, never> =>
      mayReadRecord('_step') ? action : {},
  }
}

const storedReader = (
  deps: VisibilityDeps,
  person: EventReader,
  entity: Entity,
  { sight, actor }: Pick<EventData, 'sight' | 'actor'>,
) =>
  readerOf(deps, person, {
    entity,
    showsHidden: sight?.shows_hidden === true,
    actorId: valueAt(actor, 'id'),
  })

/** A user with what they may read now of a stored event. */
export const readReach = async (
  database: Queryable,
  deps: VisibilityDeps,
  person: Person,
  event: { readonly entity: Entity; readonly entityId: number; readonly data: EventData },
): Promise<EventReader> => {
  const { entity, entityId, data } = event
  const replyTo = data.reply_to ? [addressAt(data.reply_to.path)] : []
  const record = [...recordPaths(deps.catalog, entity), ...replyTo]
  const all = planEventReach(deps, entity, { record, actor: actorPaths })
  const plan = {
    record: askedOf(deps, person, all.record),
    actor: askedOf(deps, person, all.actor),
  }
  const isAsked = plan.record.places.length + plan.actor.places.length > 0
  const actorId = valueAt(data.actor, 'id')
  const actor = int(typeof actorId === 'number' ? actorId : null)
  const row = isAsked
    ? await queryRow<ReachRow>(
        database,
        sql`
SELECT ${join(selectEventReach(plan, personOf(sql`p.id`, sql`p.role`)), ', ')}
FROM (SELECT ${int(person.userId)} AS id, ${text(person.roleKey)} AS role) p
LEFT JOIN ${table(entity)} t ON t.id = ${int(entityId)}${joinReached(plan, actor)}`,
      )
    : undefined
  return { ...person, reach: eventReachReader(plan)(row ?? {}) }
}

/** The data of a mailing that a recipient may read. */
export const dataFor = (
  deps: VisibilityDeps,
  person: EventReader,
  entity: Entity | undefined,
  { sight, reply_to: _, mentioned, comment_id: _id, ...stored }: EventData,
): Omit<EventData, 'sight' | 'reply_to' | 'mentioned' | 'comment_id'> => {
  const data = { ...stored, comment: commentFor(deps, person, { ...stored, mentioned }) }
  if (sight?.shows_hidden) return data
  if (!entity) return { ...data, record: {}, action: {} }
  const reader = storedReader(deps, person, entity, { sight, actor: data.actor })
  const paths = recordPaths(deps.catalog, entity).filter(reader.mayReadRecord)
  return {
    ...data,
    action: reader.actionOf(data.action),
    record: onlyIn(data.record, paths),
    actor: onlyIn(data.actor, actorPaths.filter(reader.mayReadActor)),
  }
}

/** A comment with the names of those whom it mentions, as far as a recipient may know them. */
export const commentFor = (
  { catalog, permissions }: VisibilityDeps,
  person: Person,
  {
    comment,
    mentioned,
  }: Pick<EventData, 'comment'> & { readonly mentioned?: EventData['mentioned'] | undefined },
): string | null => {
  if (comment === null || mentioned === undefined) return comment
  const users = getEntity(catalog, 'user')
  const name = users.columnsByName.get('full_name')
  const isNamed =
    name !== undefined && readableOfOthers(permissions.accessOf(person), users, name) === 'all'
  return comment.replaceAll(/@\[(\d+)\]/g, (_, id: string) =>
    isNamed ? `@${mentioned[id] ?? '…'}` : '@…',
  )
}

/** The address that replies of a recipient go to, if the rule names one that they may read. */
export const replyToFor = (
  deps: VisibilityDeps,
  person: EventReader,
  entity: Entity | undefined,
  data: EventData,
): string | undefined => {
  const { reply_to: replyTo } = data
  if (!replyTo || !entity) return undefined
  const reader = storedReader(deps, person, entity, data)
  const mayRead =
    replyTo.path === theActor
      ? reader.mayReadActor('email')
      : reader.mayReadRecord(addressAt(replyTo.path))
  return mayRead ? replyTo.address : undefined
}

/** The path of the address of a user. */
export const addressAt = (path: string): string => `${path}.email`

const valueAt = (object: object, name: string): unknown =>
  (object as Readonly<Record<string, unknown>>)[name]

/** The parts of a nested object at paths of one or two names; a linked record has its own paths. */
const onlyIn = (object: object, paths: readonly string[]): object => {
  const kept: Record<string, unknown> = {}
  for (const path of paths) {
    const [name = '', inner] = path.split('.')
    const value = valueAt(object, name)
    if (inner !== undefined && isObject(value))
      kept[name] = { ...(kept[name] ?? {}), [inner]: valueAt(value, inner) }
    // Null if the record links to nothing.
    else if (inner !== undefined || !isLinked(name, value)) kept[name] = value
  }
  return kept
}

// A json field is an object too, and is read as a whole.
const isLinked = (name: string, value: unknown): boolean => isObject(value) && name.startsWith('_')

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
