/**
 * What a notification or a delivery is about: a rule applied to an event, its data for templates, and what of them a recipient
 * may read.
 */
import type { Person } from '../../auth/caller.ts'
import {
  mayReadActor,
  mayReadPath,
  type Owners,
  type Values,
  type VisibilityDeps,
} from '../../auth/visibility.ts'
import { type Catalog, type Entity, getEntity } from '../../definitions/catalog.ts'
import { theActor } from '../../definitions/schemas/notification-rule.ts'

export type NotificationEvent = {
  /** Identifies the event; the same for every attempt. */
  readonly id: string
  /** Identifies the rule: its index in the definition. */
  readonly rule: string
  readonly entityKey: string
  readonly entityId: number
  /** ISO time of the event; the same for every attempt. */
  readonly at: string
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
  /** The user field whose address replies go to, or the actor, and the address; it is not shown. */
  readonly reply_to?: { readonly path: string; readonly address: string } | undefined
  /** Decides with their roles what the recipients may read of it; it is not shown. */
  readonly sight?: StoredVisibility | undefined
}

type StoredVisibility = {
  readonly shows_hidden: boolean
  /** Absent in mailings of earlier versions. */
  readonly skips_rights?: boolean
  /** Users by the path of the record that they created or own. */
  readonly record: Readonly<Record<string, readonly unknown[]>>
  readonly actor: Readonly<Record<string, readonly unknown[]>>
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

/** The data that decides with the role what a recipient may read. */
export type EventVisibility = {
  /** The rule also shows what the recipients' roles may not read. */
  readonly showsHidden: boolean
  /** It also notifies users who may not read the record. */
  readonly skipsRights: boolean
  readonly record: Owners
  /** The creator of the actor (`''`), and the actor (`self`). */
  readonly actor: Owners
}

/** The owners of the actor's user record, from loaded values. */
export const actorOwners = (actor: Values | undefined): Owners =>
  new Map(
    actor
      ? [
          ['', [actor.get('_created_by')]],
          ['self', [actor.get('id')]],
        ]
      : [],
  )

/** The visibility as a mailing stores it until its e-mails are composed. */
export const storedVisibility = ({
  showsHidden,
  skipsRights,
  record,
  actor,
}: EventVisibility): StoredVisibility => ({
  shows_hidden: showsHidden,
  skips_rights: skipsRights,
  record: Object.fromEntries(record),
  actor: Object.fromEntries(actor),
})

type Reading = {
  readonly entity: Entity
  readonly visibility: Pick<EventVisibility, 'showsHidden' | 'record' | 'actor'>
  readonly actorId: unknown
}

/** What a user may read of an event: paths of the record and of the actor, and the action. */
export const readerOf = (
  deps: VisibilityDeps,
  person: Person,
  { entity, visibility, actorId }: Reading,
) => {
  const { showsHidden, record, actor } = visibility
  const users = getEntity(deps.catalog, 'user')
  const mayReadRecord = (path: string): boolean =>
    showsHidden || mayReadPath(deps, person, entity, path, record)
  return {
    mayReadRecord,
    mayReadActor: (path: string): boolean =>
      showsHidden || mayReadActor(deps, person, users, path, { id: actorId, owners: actor }),
    /** As far as the user may read the steps of the record: like its history, all or nothing. */
    actionOf: <A extends object>(action: A): A | Record<string, never> =>
      mayReadRecord('_step') ? action : {},
  }
}

/** Nothing of `own` is read if no owners were stored. */
const storedReader = (
  deps: VisibilityDeps,
  person: Person,
  entity: Entity,
  { sight, actor }: Pick<EventData, 'sight' | 'actor'>,
) =>
  readerOf(deps, person, {
    entity,
    visibility: {
      showsHidden: sight?.shows_hidden === true,
      record: new Map(Object.entries(sight?.record ?? {})),
      actor: new Map(Object.entries(sight?.actor ?? {})),
    },
    actorId: valueAt(actor, 'id'),
  })

/** The data of a mailing that a recipient may read. */
export const dataFor = (
  deps: VisibilityDeps,
  person: Person,
  entityKey: string,
  { sight, reply_to: _, ...data }: EventData,
): Omit<EventData, 'sight' | 'reply_to'> => {
  if (sight?.shows_hidden) return data
  const entity = deps.catalog.entities.get(entityKey)
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

/** The address that replies of a recipient go to, if the rule names one that they may read. */
export const replyToFor = (
  deps: VisibilityDeps,
  person: Person,
  entityKey: string,
  data: EventData,
): string | undefined => {
  const { reply_to: replyTo } = data
  const entity = deps.catalog.entities.get(entityKey)
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
