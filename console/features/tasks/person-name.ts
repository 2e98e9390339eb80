/** The name of a user, as far as this user may see it. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { nameQuery } from '../../api/record.ts'
import { useTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'

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
