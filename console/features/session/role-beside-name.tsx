/** The role of a user beside their name, where it says something else: the first user is called Administrator as well. */
import type { ReactNode } from 'react'

type Props = { readonly user: { readonly full_name?: string; readonly role_name: string } }

export const RoleBesideName = ({ user }: Props): ReactNode =>
  user.role_name !== user.full_name && <small dir="auto">{user.role_name}</small>
