/** The caller of a request. */

export type Caller = {
  /** `id` of the user. */
  readonly userId: number
  /**
   * The user who signed in, if their session acts as this user; otherwise null. Permissions are those of this user, and
   * everything that is stored with this user as its author names both.
   */
  readonly actingUser: ActingUser | null
  /** Key of the user's security role. */
  readonly roleKey: string
  readonly fullName: string
  readonly email: string
}

export type ActingUser = { readonly id: number; readonly fullName: string }

/** Who makes a change: the user, and who really acted as that user. */
export type Author = {
  readonly userId: number
  /** Null: the user themselves. */
  readonly actingUserId: number | null
}

/** The caller as the author of a change. */
export const authorOf = ({ userId, actingUser }: Caller): Author => ({
  userId,
  actingUserId: actingUser?.id ?? null,
})

/** The part of a caller that decides what they may do. */
export type Person = Pick<Caller, 'userId' | 'roleKey'>
