/** What a user is called, as far as this one may know. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { nameQuery } from '../../api/record.ts'
import { useTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'

/** The name of a user; a number for whoever may not see it, and nothing while it is on its way. */
export const usePersonName = (id: number | null): string => {
  const { record } = useTexts()
  const { me, entities } = useSession()
  const people = entities.get('user')
  const isMe = id === me.id
  const mayAsk = id !== null && !isMe && people !== undefined && people.permissions.read !== false
  const { data, isLoading } = useQuery({
    ...nameQuery({ key: 'user', displayField: people?.displayField ?? 'id' }, id ?? 0),
    enabled: mayAsk,
  })
  if (id === null || isLoading) return ''
  return isMe ? record.you(me.full_name ?? '') : String(data?.[people?.displayField ?? ''] ?? id)
}

export const PersonName = ({ id }: { readonly id: number }): ReactNode => (
  <span dir="auto">{usePersonName(id)}</span>
)
