/** Who is asking. */

export type Caller = {
  /** `id` of the user. */
  readonly userId: number
  /** Key of the user's security role. */
  readonly roleKey: string
  readonly fullName: string
  readonly email: string
}
