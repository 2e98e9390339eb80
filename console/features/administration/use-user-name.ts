/** What a user is called; their id as long as that is not known, and nothing for nobody. */
import { useQuery } from '@tanstack/react-query'
import { nameQuery } from '../../api/record.ts'
import { useSession } from '../session/session.ts'

const nameField = 'full_name'

export const useUserName = (id: number | undefined): string => {
  const { entities } = useSession()
  const users = entities.get('user')
  const asked = { key: 'user', displayField: users?.displayField ?? nameField }
  const { data } = useQuery({
    ...nameQuery(asked, id ?? 0),
    enabled: users !== undefined && id !== undefined,
  })
  return String(data?.[asked.displayField] ?? id ?? '')
}
