/** Which of several servers a user belongs to, by their names alone (rendezvous hashing). */
import { hash } from 'node:crypto'

/**
 * The name with the highest hash together with the user, whatever the order of the names. When a name is added, only the users that
 * it wins move; when one is removed, only its users do.
 */
export const homeOf = (names: readonly string[], userId: number): string => {
  const [only = ''] = names
  if (names.length < 2) return only
  return names.reduce((best, name) => (isBefore(best, name, userId) ? name : best))
}

const isBefore = (one: string, other: string, userId: number): boolean =>
  weightOf(one, userId) < weightOf(other, userId)

// Changing this would move users: their rows would have to be moved with them.
const weightOf = (name: string, userId: number): string => hash('sha256', `${name} ${userId}`)
