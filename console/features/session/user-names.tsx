/** What users are called: the author of a change, and the roles next to a name. */
import type { ReactNode } from 'react'
import type { Me, NamedUser } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'

type Props = { readonly user: Pick<Me, 'full_name' | 'roles'> }

export const RoleBesideName = ({ user: { full_name: name, roles } }: Props): ReactNode => {
  const names = roles.map((role) => role.name).join(', ')
  return names !== name && <small dir="auto">{names}</small>
}

const nameOf = ({ id, full_name: name }: NamedUser): string => name ?? `${id}`

/** Prints the author of an entry of the history, or of an approval. */
export const useAuthorName = () => {
  const { record } = useTexts()
  return (user: NamedUser, acting: NamedUser | null): string =>
    acting ? record.acting(nameOf(user), nameOf(acting)) : nameOf(user)
}
