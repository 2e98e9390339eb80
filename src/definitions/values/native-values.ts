/**
 * Values of native entities that follow from others of the same record: one row each. They stand
 * where nobody gives another value.
 */
import type { SqlValue } from './check-value.ts'

/** The value that a record is given for a field. */
type Given = (name: string) => SqlValue | undefined

const ofNewRecords: Readonly<Record<string, Readonly<Record<string, (given: Given) => SqlValue>>>> =
  {
    user: {
      full_name: (given) => {
        const names = [given('first_name'), given('last_name')]
        return names.every((name) => typeof name === 'string') ? names.join(' ') : null
      },
      blocked_at: (given) => (given('is_blocked') === true ? new Date().toISOString() : null),
    },
  }

/** The value of a new record that follows from the values it is given; null where none does. */
export const followingValue = (entityKey: string, name: string, given: Given): SqlValue =>
  ofNewRecords[entityKey]?.[name]?.(given) ?? null

/** Whether a field of a new record gets its value from others, so that a create need not give it. */
export const isFollowing = (entityKey: string, name: string): boolean =>
  ofNewRecords[entityKey]?.[name] !== undefined

/** A true-or-false field, and the field that says since when it is true. */
export type Moment = { readonly flag: string; readonly since: string }

const moments: Readonly<Record<string, readonly Moment[]>> = {
  user: [{ flag: 'is_blocked', since: 'blocked_at' }],
}

/** The fields of an entity that say since when another field is true. */
export const momentsOf = (entityKey: string): readonly Moment[] => moments[entityKey] ?? []
