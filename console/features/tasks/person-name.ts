/** What users are called whom a task may be assigned to. */
import type { Person } from '../../api/tasks.ts'
import { useTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'

/** Prints the name; the id for a role that hides names, and nothing without a user. */
export const usePersonName = (): ((person: Person | null | undefined) => string) => {
  const { record } = useTexts()
  const { me } = useSession()
  return (person) => {
    if (!person) return ''
    const name = person.full_name ?? `${person.id}`
    return person.id === me.id ? record.you(name) : name
  }
}
