/**
 * Special properties of native entities: who writes their records, what guards them, derived values. Other
 * folders read them here and know no native entity by name.
 */
import type { Permission } from './schemas/role-definition.ts'
import type { SqlValue } from './values/check-value.ts'

type Given = (name: string) => SqlValue | undefined

/** A boolean field, and the field with the time since it is true. */
type Moment = { readonly flag: string; readonly since: string }

/**
 * Rules that protect records from being written or linked to:
 * - `roles`: keys of roles that have a file stay, and nobody changes or gives away the administrator's;
 * - `administrators`: only administrators change the users who are administrators, and by what users sign in;
 * - `furtherRoles`: nor does anybody else take the administrator's role from a user;
 * - `sharing`: only those who may change every record share one, and what it says can be run.
 */
export type NativeGuard = 'roles' | 'administrators' | 'furtherRoles' | 'sharing'

/** Columns that decide who else may read a record. */
export type Sharing = {
  /** An enum: `me`, `role` or `all`. */
  readonly audience: string
  readonly role: string
  /** The entity whose paths the next two name; a reader must see all of them. */
  readonly entityKey: string
  readonly criteria: string
  readonly paths: string
}

/** The permissions on a record that write parts of it. */
export const partRights = ['tasks', 'comments'] as const
export type PartRight = (typeof partRights)[number]

/** What parts of a record are called together. */
export const partSubjects = ['tasks', 'comments'] as const
type PartSubject = (typeof partSubjects)[number]

/** Records that are part of another one, which their columns `key` and `entity_id` name. */
export type RecordPart = {
  /** What the history of a record calls its entries about them. */
  readonly subject: PartSubject
  /** The permission on the record that shows these entries. */
  readonly readBy: PartRight | 'read'
  /** A boolean field: parts that have it are for users with this permission on the record alone. */
  readonly confined?: { readonly flag: string; readonly right: 'internalComments' }
  /** The field whose present value is in the history with what was changed. */
  readonly text?: string
  /** What operations of the history are named by: `createTask`. */
  readonly word: string
  /** Where they are written over HTTP. */
  readonly paths: string
}

type NewValue = { readonly field: string; readonly from: (given: Given) => SqlValue }

type NativeEntity = {
  /**
   * Its records are part of another record: they are written below its path, appear in its history, and are removed and restored
   * with it.
   */
  readonly part?: RecordPart
  readonly guard?: NativeGuard
  /** What every role may do that does not name the entity; "*" adds only hidden fields. */
  readonly everyone?: Permission
  /** Its records may be shared: a role that may read its own records may read those too. */
  readonly sharing?: Sharing
  /** Associations with users who may see a record whatever their role may read. */
  readonly entitled?: readonly string[]
  /** Its records decide who callers are and what they may do. */
  readonly decidesCallers?: true
  /** Its records are values of users that conditions of reading compare with: a replica that lacks a change of them decides wrong. */
  readonly decidesReading?: true
  /** Number of its records that the service itself creates at a start. */
  readonly madeAtStart?: number
  /** The column with an entity key, which changes when that entity is renamed. */
  readonly entityKeyColumn?: string
  /** The field by which seeds know a record, instead of the first unique one. */
  readonly seedKey?: string
  /** Derived values of a new record, if the request gives none. */
  readonly newValues?: readonly NewValue[]
  readonly moments?: readonly Moment[]
  /** The administration has a page of its records, so that its menu names them once. */
  readonly hasAdministrationPage?: true
  /** Of people who call the service: values by which one who is anonymised cannot sign in any more. */
  readonly leaves?: Readonly<Record<string, SqlValue>>
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
  decidesReading: true,
  madeAtStart: 1,
  // The first sign-in, or an administrator, may have changed what is the first unique field.
  seedKey: 'email',
  newValues: [
    // As long as the subject of their tokens is unknown.
    { field: 'identity_provider_user_id', from: (given) => given('email') ?? null },
    { field: 'full_name', from: fullName },
    { field: 'blocked_at', from: blockedAt },
  ],
  moments: [{ flag: 'is_blocked', since: 'blocked_at' }],
  leaves: { is_active: false },
  hasAdministrationPage: true,
}

const savedView: NativeEntity = {
  guard: 'sharing',
  entityKeyColumn: 'entity_key',
  everyone: { create: true, read: 'own', update: 'own', delete: 'own' },
  sharing: {
    audience: 'is_shared_with',
    role: 'security_role_id',
    entityKey: 'entity_key',
    criteria: 'criteria',
    paths: 'columns',
  },
}

const task: NativeEntity = {
  part: {
    subject: 'tasks',
    readBy: 'tasks',
    word: 'Task',
    paths: 'POST /:entityKey/:entityId/task, PUT and DELETE /:entityKey/:entityId/:taskId',
  },
  entitled: ['assigne'],
  entityKeyColumn: 'key',
}

const comment: NativeEntity = {
  part: {
    subject: 'comments',
    readBy: 'read',
    confined: { flag: 'is_internal', right: 'internalComments' },
    text: 'text',
    word: 'Comment',
    paths:
      'POST /:entityKey/:entityId/comment, PATCH and DELETE /:entityKey/:entityId/comment/:commentId',
  },
  entityKeyColumn: 'key',
}

const nativeEntities: ReadonlyMap<string, NativeEntity> = new Map([
  ['user', user],
  [
    'security_role',
    { guard: 'roles', decidesCallers: true, madeAtStart: Number.POSITIVE_INFINITY },
  ],
  ['user_role', { guard: 'furtherRoles', decidesCallers: true, decidesReading: true }],
  ['task', task],
  ['comment', comment],
  ['user_group_member', { decidesReading: true }],
  ['printable_document', { entityKeyColumn: 'entity_key' }],
  ['saved_view', savedView],
])

/** The special properties of an entity; none for an entity of the project. */
export const nativeEntity = ({ key }: { readonly key: string }): NativeEntity =>
  nativeEntities.get(key) ?? {}

/** Native entities that have a property, with it. */
export const nativeEntitiesWith = <Name extends keyof NativeEntity>(
  name: Name,
): readonly { readonly key: string; readonly value: NonNullable<NativeEntity[Name]> }[] =>
  [...nativeEntities].flatMap(([key, { [name]: value }]) =>
    value === undefined ? [] : [{ key, value }],
  )

/** How records of an entity are part of other records; undefined if they are not. */
export const partOfRecords = (entity: { readonly key: string }): RecordPart | undefined =>
  nativeEntity(entity).part

/** Whether records of an entity are part of another record. */
export const isPartOfRecord = (entity: { readonly key: string }): boolean =>
  partOfRecords(entity) !== undefined

/** Whether records of an entity are read below the records that they are part of, and nowhere else but by administrators. */
export const isReadBelow = (entity: { readonly key: string }): boolean =>
  partOfRecords(entity)?.readBy === 'read'

/** The entities whose records are part of others, by key. */
export const recordParts: ReadonlyMap<string, RecordPart> = new Map(
  nativeEntitiesWith('part').map(({ key, value }) => [key, value]),
)

/** The derived value of a field of a new record; null if there is none. */
export const followingValue = (entityKey: string, name: string, given: Given): SqlValue =>
  newValueOf(entityKey, name)?.from(given) ?? null

/** Whether a field of a new record is derived from others, so that a request may omit it. */
export const isFollowing = (entityKey: string, name: string): boolean =>
  newValueOf(entityKey, name) !== undefined

const newValueOf = (key: string, name: string): NewValue | undefined =>
  nativeEntity({ key }).newValues?.find(({ field }) => field === name)
