/** The caller of a request. */

export type Caller = {
  /** `id` of the user. */
  readonly userId: number
  /** Key of the user's security role. */
  readonly roleKey: string
  readonly fullName: string
  readonly email: string
}

/** The part of a caller that decides what they may do. */
export type Person = Pick<Caller, 'userId' | 'roleKey'>
