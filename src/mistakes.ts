/**
 * How the mistakes of one input are collected: no more of them, and no longer ones, than a person reads.
 * Whoever reads an input stops when the list is full, so that wrong input costs no more than right one.
 */

/** One mistake of an input: where it is (a JSON path or a parameter's name) and what to do. */
export type Mistake = { readonly path: string; readonly message: string }

/** The most mistakes that one answer tells. */
export const maxMistakes = 100

// A suggestion compares a name with every known one, so only the first mistakes get one.
const maxHints = 20
const maxPathLength = 200
const maxMessageLength = 2000

/**
 * Adds a mistake unless the list is full; path and message are cut. `hint` makes the end of the message,
 * such as a suggestion; it is not called for any but the first mistakes.
 */
export const addMistake = <M extends Mistake>(
  mistakes: M[],
  mistake: M,
  hint?: () => string,
): void => {
  if (isFull(mistakes)) return
  const end = hint && mistakes.length < maxHints ? hint() : ''
  mistakes.push({
    ...mistake,
    path: shorten(mistake.path, maxPathLength),
    message: shorten(`${mistake.message}${end}`, maxMessageLength),
  })
}

/** Whether there are more mistakes than are told: the list holds one above that, and takes no other. */
export const isFull = (mistakes: readonly Mistake[]): boolean => mistakes.length > maxMistakes

/** The mistakes to tell: those of the list, or the first and a last one that says that there are more. */
export const mistakesToTell = (mistakes: readonly Mistake[]): readonly Mistake[] =>
  isFull(mistakes)
    ? [
        ...mistakes.slice(0, maxMistakes),
        { path: '', message: 'there are more mistakes than these; mend these first' },
      ]
    : mistakes

/** A text for a message: what is longer than `longest` UTF-16 units is cut and ends with `…`. */
export const shorten = (text: string, longest = 80): string => {
  if (text.length <= longest) return text
  const cut = text.slice(0, longest - 1)
  // Half of a surrogate pair is no character.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
