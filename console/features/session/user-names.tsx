/** What users are called: the author of a change, and the role next to a name. */
import type { ReactNode } from 'react'
import type { NamedUser } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'

type Props = { readonly user: { readonly full_name?: string; readonly role_name: string } }

export const RoleBesideName = ({ user }: Props): ReactNode =>
  user.role_name !== user.full_name && <small dir="auto">{user.role_name}</small>

const nameOf = ({ id, full_name: name }: NamedUser): string => name ?? `${id}`

/** Prints the author of an entry of the history, or of an approval. */
export const useAuthorName = () => {
  const { record } = useTexts()
  return (user: NamedUser, acting: NamedUser | null): string =>
    acting ? record.acting(nameOf(user), nameOf(acting)) : nameOf(user)
}
