/** The first line of a task's description, as its title. */

// Notifications and calendar entries show no more of a description.
/** Maximum number of characters. */
export const maxLineLength = 200

/** The first line of a description, cut between characters. */
export const firstLine = (text: string | null): string => {
  const [line = ''] = (text ?? '').split(/[\r\n]/, 1)
  // A character has one or two UTF-16 units.
  return [...line.slice(0, 2 * maxLineLength)].slice(0, maxLineLength).join('')
}
