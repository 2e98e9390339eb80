/** Who is asking. */

export type Caller = {
  /** `id` of the user. */
  readonly userId: number
  /** Key of the user's security role. */
  readonly roleKey: string
  readonly fullName: string
  readonly email: string
}

/** As much of somebody as decides what they may do. */
export type Person = Pick<Caller, 'userId' | 'roleKey'>
