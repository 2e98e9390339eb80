/**
 * What is particular to native entities: who writes their records, what guards them, what follows from their
 * values. Every room reads it here, and knows none of them by name.
 */
import type { SqlValue } from './values/check-value.ts'

/** The value that a record is given for a field. */
type Given = (name: string) => SqlValue | undefined

/** A true-or-false field, and the field that says since when it is true. */
type Moment = { readonly flag: string; readonly since: string }

/**
 * What keeps a record from being written or linked to:
 * - `roles`: keys of roles that have a file stay, and nobody changes or gives away the administrator's;
 * - `administrators`: only administrators change the users who are administrators.
 */
export type NativeGuard = 'roles' | 'administrators'

type NewValue = { readonly field: string; readonly from: (given: Given) => SqlValue }

type NativeEntity = {
  /** Its records are part of another one: they are written below it, and its history tells of them. */
  readonly isPartOfRecord?: true
  readonly guard?: NativeGuard
  /** Its records decide who a caller is and what they may do. */
  readonly decidesCallers?: true
  /** How many of its records the service itself makes at a start. */
  readonly madeAtStart?: number
  /** The column that holds the key of an entity, which follows when that entity is renamed. */
  readonly entityKeyColumn?: string
  /** Values of a new record that follow from others, where nobody gives them. */
  readonly newValues?: readonly NewValue[]
  readonly moments?: readonly Moment[]
}

const fullName = (given: Given): SqlValue => {
  const names = [given('first_name'), given('last_name')]
  return names.every((name) => typeof name === 'string') ? names.join(' ') : null
}

const blockedAt = (given: Given): SqlValue =>
  given('is_blocked') === true ? new Date().toISOString() : null

const user: NativeEntity = {
  guard: 'administrators',
  decidesCallers: true,
  madeAtStart: 1,
  newValues: [
    { field: 'full_name', from: fullName },
    { field: 'blocked_at', from: blockedAt },
  ],
  moments: [{ flag: 'is_blocked', since: 'blocked_at' }],
}

const nativeEntities: ReadonlyMap<string, NativeEntity> = new Map([
  ['user', user],
  [
    'security_role',
    { guard: 'roles', decidesCallers: true, madeAtStart: Number.POSITIVE_INFINITY },
  ],
  ['task', { isPartOfRecord: true, entityKeyColumn: 'key' }],
  ['printable_document', { entityKeyColumn: 'entity_key' }],
])

/** What is particular to an entity; nothing for one of the project. */
export const nativeEntity = ({ key }: { readonly key: string }): NativeEntity =>
  nativeEntities.get(key) ?? {}

/** Native entities that have a property, with it. */
export const nativeEntitiesWith = <Name extends keyof NativeEntity>(
  name: Name,
): readonly { readonly key: string; readonly value: NonNullable<NativeEntity[Name]> }[] =>
  [...nativeEntities].flatMap(([key, { [name]: value }]) =>
    value === undefined ? [] : [{ key, value }],
  )

/** Whether records of an entity are part of another record. */
export const isPartOfRecord = (entity: { readonly key: string }): boolean =>
  nativeEntity(entity).isPartOfRecord === true

/** The value of a new record that follows from the values it is given; null where none does. */
export const followingValue = (entityKey: string, name: string, given: Given): SqlValue =>
  newValueOf(entityKey, name)?.from(given) ?? null

/** Whether a field of a new record gets its value from others, so that a create need not give it. */
export const isFollowing = (entityKey: string, name: string): boolean =>
  newValueOf(entityKey, name) !== undefined

const newValueOf = (key: string, name: string): NewValue | undefined =>
  nativeEntity({ key }).newValues?.find(({ field }) => field === name)
