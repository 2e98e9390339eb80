/** What stands for a task where there is room for a line only. */

// A notification and an entry of a calendar show no more of a description.
/** The most characters of it. */
export const maxLineLength = 200

/** The first line of a description, cut between characters. */
export const firstLine = (text: string | null): string => {
  const [line = ''] = (text ?? '').split(/[\r\n]/, 1)
  // A character is one or two units.
  return [...line.slice(0, 2 * maxLineLength)].slice(0, maxLineLength).join('')
}
