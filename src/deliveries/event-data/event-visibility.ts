/** What deliveries may say of a record and of who acted, and what of that a recipient may read. */
import type { Person } from '../../auth/caller.ts'
import {
  mayReadActor,
  mayReadPath,
  type Owners,
  type Values,
  type VisibilityDeps,
} from '../../auth/visibility.ts'
import { type Catalog, type Entity, getEntity } from '../../definitions/catalog.ts'
import type { EventData } from './notification-event.ts'

/** What a delivery may say of who acted, whatever its template. */
export const actorPaths: readonly string[] = ['id', 'full_name', 'email']

/** Every field of the record, and of each record that it links to what a person calls it. */
export const recordPaths = (catalog: Catalog, entity: Entity): string[] => {
  const links = [...entity.associations].flatMap(([key, { target }]) => {
    const display = catalog.entities.get(target ?? '')?.definition.displayField
    return display === undefined ? [] : [`${key}.${display}`]
  })
  return [...entity.columns.map(({ name }) => name), ...links]
}

/** What decides, beside the role, what a recipient may read. */
export type EventVisibility = {
  /** The rule shows its recipients also what their roles may not read. */
  readonly showsHidden: boolean
  /** It notifies also those who may not read the record. */
  readonly skipsRights: boolean
  readonly record: Owners
  /** Who created the user who acted (`''`), and who that is (`self`). */
  readonly actor: Owners
}

/** The owners of the user who acted, from their loaded values. */
export const actorOwners = (actor: Values | undefined): Owners =>
  new Map(
    actor
      ? [
          ['', [actor.get('_created_by')]],
          ['self', [actor.get('id')]],
        ]
      : [],
  )

/** A Sight as a mailing keeps it until its e-mails are made. */
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

/** The data of a mailing as far as a recipient may read them; nothing of `own` where no owners were kept. */
export const dataFor = (
  deps: VisibilityDeps,
  person: Person,
  entityKey: string,
  { sight, ...data }: EventData,
): Omit<EventData, 'sight'> => {
  const entity = deps.catalog.entities.get(entityKey)
  if (sight?.shows_hidden || !entity) return sight?.shows_hidden ? data : { ...data, record: {} }
  const people = getEntity(deps.catalog, 'user')
  const owners = new Map(Object.entries(sight?.record ?? {}))
  const who = { id: valueAt(data.actor, 'id'), owners: new Map(Object.entries(sight?.actor ?? {})) }
  const record = recordPaths(deps.catalog, entity).filter((path) =>
    mayReadPath(deps, person, entity, path, owners),
  )
  const actor = actorPaths.filter((path) => mayReadActor(deps, person, people, path, who))
  return { ...data, record: onlyIn(data.record, record), actor: onlyIn(data.actor, actor) }
}

const valueAt = (object: object, name: string): unknown =>
  (object as Readonly<Record<string, unknown>>)[name]

/** The parts of a nested object at paths of one or two names; what a name links to goes by its own paths. */
const onlyIn = (object: object, paths: readonly string[]): object => {
  const kept: Record<string, unknown> = {}
  for (const path of paths) {
    const [name = '', inner] = path.split('.')
    const value = valueAt(object, name)
    if (inner !== undefined && isObject(value))
      kept[name] = { ...(kept[name] ?? {}), [inner]: valueAt(value, inner) }
    // Null where the record links to nothing.
    else if (inner !== undefined || !isLinked(name, value)) kept[name] = value
  }
  return kept
}

// A field that is json is an object too, and read as a whole.
const isLinked = (name: string, value: unknown): boolean => isObject(value) && name.startsWith('_')

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
