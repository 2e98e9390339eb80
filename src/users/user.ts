/** A user: the data that decides whether they may call, and as whom. */

export type User = {
  readonly id: number
  /** The subject (`sub`) of the person's tokens. */
  readonly identity_provider_user_id: string
  readonly full_name: string
  readonly email: string
  /** Null when the security role was removed. */
  readonly role_key: string | null
  readonly is_active: boolean
  readonly is_blocked: boolean
}

/** A user to be created; every other field gets its default. */
export type NewUser = {
  readonly identity_provider_user_id: string
  readonly first_name: string
  readonly last_name: string
  readonly full_name: string
  /** Also becomes the username. */
  readonly email: string
  readonly role_key: string
}
