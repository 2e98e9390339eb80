/** The events of changes for one watching stream: only of records that its user may read at this moment. */
import type { Person } from '../../auth/caller.ts'
import type { Permissions } from '../../auth/permissions.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { isPartOfRecord } from '../../definitions/native-entities.ts'
import { queuesOf } from '../../workflow/approval-store.ts'
import type { Facts } from './change-store.ts'
import type { WatchRequest } from './watch-request.ts'

export type WatchDeps = { readonly catalog: Catalog; readonly permissions: Permissions }

/** What happened to one record since the changes were read last. */
export type ChangedRecord = {
  readonly id: number
  readonly facts: Facts | undefined
  readonly operations: ReadonlySet<string>
  /** Users to whom it belonged before. */
  readonly earlier: ReadonlySet<number>
}

/** The changed records of each entity, by id. */
export type ChangedRecords = ReadonlyMap<string, ReadonlyMap<number, ChangedRecord>>

export type WatchEvent = { readonly event: string; readonly data: object }

/** Undefined if there are too many: the client reads again what it shows. */
export const eventsFor = (
  deps: WatchDeps,
  person: Person,
  { records, counts }: WatchRequest,
  changed: ChangedRecords,
): WatchEvent[] | undefined => {
  const told = new Map<string, WatchEvent>()
  for (const { entityKey, id } of records) {
    const entity = deps.catalog.entities.get(entityKey)
    const all = changed.get(entityKey)
    if (!entity || !all) continue
    const one = id === undefined ? undefined : all.get(id)
    for (const record of id === undefined ? all.values() : one ? [one] : []) {
      const event = recordEvent(deps, person, entity, record)
      if (event) told.set(`${entityKey}/${record.id}`, event)
      if (told.size > maxEvents) return undefined
    }
  }
  const events = [...told.values()]
  if (counts.has('approvals') && mayChangeApprovals(deps, person, changed))
    events.push({ event: 'approvals', data: {} })
  if (counts.has('tasks') && mayChangeTasks(deps, person, changed))
    events.push({ event: 'tasks', data: {} })
  return events
}

const maxEvents = 200

type Reach = 'readable' | 'gone' | 'unknown'

/** Whether the person may read the record, could read it before the change, or never knew of it. */
const reachOf = (
  { permissions }: WatchDeps,
  person: Person,
  entity: Entity,
  { facts, earlier }: ChangedRecord,
): Reach => {
  const scope = permissions.scopeOf(person, 'read', entity)
  if (scope === 'none' || !facts) return 'unknown'
  const { userId } = person
  const isOwn = facts.created_by === userId || facts.owned_by === userId
  if (scope !== 'all' && !isOwn) return earlier.has(userId) ? 'gone' : 'unknown'
  return facts.is_deleted ? 'gone' : 'readable'
}

const recordEvent = (
  deps: WatchDeps,
  person: Person,
  entity: Entity,
  record: ChangedRecord,
): WatchEvent | undefined => {
  const reach = reachOf(deps, person, entity, record)
  if (reach === 'unknown' || !record.facts) return undefined
  const named = { entity: entity.key, id: record.id }
  if (reach === 'gone') return { event: 'record', data: { ...named, gone: true } }
  const { version, updated_by: by } = record.facts
  const column = entity.columnsByName.get('_updated_by')
  const showsActor = column && deps.permissions.accessOf(person).maySee(entity, column)
  const isNew = record.operations.has('create')
  return {
    event: 'record',
    data: { ...named, version, ...(isNew && { created: true }), ...(showsActor && { by }) },
  }
}

/** A record of which a client says which version it has read. */
export type KnownRecord = {
  readonly entity: Entity
  readonly id: number
  readonly version: number
  readonly facts: Facts | undefined
}

/**
 * What a client has missed of them. Undefined if one is not known to be readable: the client reads it again, and nothing
 * tells one that it may not read from one that does not exist.
 */
export const missedEvents = (
  deps: WatchDeps,
  person: Person,
  known: readonly KnownRecord[],
): readonly WatchEvent[] | undefined => {
  const events: WatchEvent[] = []
  for (const { entity, id, version, facts } of known) {
    const record = { id, facts, operations: new Set<string>(), earlier: new Set<number>() }
    if (reachOf(deps, person, entity, record) !== 'readable') return undefined
    const event = recordEvent(deps, person, entity, record)
    if (event && facts?.version !== version) events.push(event)
  }
  return events
}

// A change of fields moves no record to another step.
const mayChangeApprovals = (deps: WatchDeps, person: Person, changed: ChangedRecords): boolean =>
  queuesOf(deps, person).some(({ entity }) =>
    [...(changed.get(entity.key)?.values() ?? [])].some(
      (record) =>
        [...record.operations].some((operation) => operation !== 'change') &&
        reachOf(deps, person, entity, record) !== 'unknown',
    ),
  )

/** Users see the tasks that are assigned to them, whatever their role. */
const mayChangeTasks = ({ catalog }: WatchDeps, { userId }: Person, changed: ChangedRecords) =>
  [...catalog.entities.values()].some(
    (entity) =>
      isPartOfRecord(entity) &&
      [...(changed.get(entity.key)?.values() ?? [])].some(
        ({ facts, earlier }) => facts?.entitled === userId || earlier.has(userId),
      ),
  )
