/** What deliveries may show of a record and of its actor, and what of that a recipient may read. */
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
import type { EventData } from './notification-event.ts'

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

/** The data that decides, besides the role, what a recipient may read. */
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

/** A Visibility as a mailing stores it until its e-mails are composed. */
export const keptVisibility = ({
  showsHidden,
  skipsRights,
  record,
  actor,
}: EventVisibility): NonNullable<EventData['sight']> => ({
  shows_hidden: showsHidden,
  skips_rights: skipsRights,
  record: Object.fromEntries(record),
  actor: Object.fromEntries(actor),
})

type ShownData = Omit<EventData, 'sight' | 'reply_to'>

/** The action of an event, as far as a user may read the steps of the record: like its history, all or nothing. */
export const actionFor = <A extends object>(
  deps: VisibilityDeps,
  person: Person,
  entity: Entity,
  action: A,
  owners: Owners,
): A | Record<string, never> => (mayReadPath(deps, person, entity, '_step', owners) ? action : {})

/** The data of a mailing that a recipient may read; nothing of `own` if no owners were stored. */
export const dataFor = (
  deps: VisibilityDeps,
  person: Person,
  entityKey: string,
  { sight, reply_to: _, ...data }: EventData,
): ShownData => {
  const entity = deps.catalog.entities.get(entityKey)
  if (sight?.shows_hidden || !entity)
    return sight?.shows_hidden ? data : { ...data, record: {}, action: {} }
  const owners = ownersIn(sight)
  const record = recordPaths(deps.catalog, entity).filter((path) =>
    mayReadPath(deps, person, entity, path, owners),
  )
  const mayRead = actorReader(deps, person, { actor: data.actor, sight })
  const actor = actorPaths.filter(mayRead)
  const action = actionFor(deps, person, entity, data.action, owners)
  return { ...data, action, record: onlyIn(data.record, record), actor: onlyIn(data.actor, actor) }
}

const ownersIn = (sight: EventData['sight']): Owners => new Map(Object.entries(sight?.record ?? {}))

const actorReader = (
  deps: VisibilityDeps,
  person: Person,
  { sight, actor }: { readonly sight: EventData['sight']; readonly actor: object },
) => {
  const people = getEntity(deps.catalog, 'user')
  const who = { id: valueAt(actor, 'id'), owners: new Map(Object.entries(sight?.actor ?? {})) }
  return (path: string): boolean => mayReadActor(deps, person, people, path, who)
}

/** The address that replies of a recipient go to, if the rule names one that they may read. */
export const replyToFor = (
  deps: VisibilityDeps,
  person: Person,
  entityKey: string,
  data: EventData,
): string | undefined => {
  const { reply_to: wanted, sight } = data
  const entity = deps.catalog.entities.get(entityKey)
  if (!wanted || !entity) return undefined
  const mayRead =
    sight?.shows_hidden === true ||
    (wanted.path === theActor
      ? actorReader(deps, person, { actor: data.actor, sight })('email')
      : mayReadPath(deps, person, entity, addressAt(wanted.path), ownersIn(sight)))
  return mayRead ? wanted.address : undefined
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
