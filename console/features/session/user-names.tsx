/** What users are called: the author of a change, and the roles next to a name. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { nameQuery } from '../../api/record.ts'
import type { Me, NamedUser } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { useSession } from './session.ts'

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

// The name of a user, as far as this user may see it.

/** The name; the id if this user may not see the name, and nothing while it is loading. */
export const usePersonName = (id: number | null): string => {
  const { record } = useTexts()
  const { me, entities } = useSession()
  const userEntity = entities.get('user')
  const isMe = id === me.id
  const mayRead =
    id !== null && !isMe && userEntity !== undefined && userEntity.permissions.read !== false
  const { data, isLoading } = useQuery({
    ...nameQuery({ key: 'user', displayField: userEntity?.displayField ?? 'id' }, id ?? 0),
    enabled: mayRead,
  })
  if (id === null || isLoading) return ''
  return isMe
    ? record.you(me.full_name ?? '')
    : String(data?.[userEntity?.displayField ?? ''] ?? id)
}

export const PersonName = ({ id }: { readonly id: number }): ReactNode => (
  <span dir="auto">{usePersonName(id)}</span>
)
