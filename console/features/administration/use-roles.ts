/** The roles that users can have, as the page calls them. */
import { useQuery } from '@tanstack/react-query'
import { type RoleRecord, rolesQuery } from '../../api/admin/roles.ts'
import { useReading, useSession } from '../session/session.ts'
import { rolesOf } from './role-rights.tsx'

/** By name, in the language of the user as far as the project has translations; undefined until they have come. */
export const useRoles = (): readonly RoleRecord[] | undefined => {
  const { data } = useQuery(rolesQuery)
  const { entities } = useSession()
  const { locale } = useReading()
  const names = new Map(rolesOf(entities).map(({ key, name }) => [key, name]))
  return data
    ?.map((role) => ({ ...role, name: names.get(role.key) ?? role.name }))
    .sort((one, other) => one.name.localeCompare(other.name, locale))
}
