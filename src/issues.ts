/**
 * Collects the issues of one input, with limits on their number and length. A check stops when the list is
 * full, so that invalid input costs no more than valid input.
 */

/** One issue of an input: where it is (a JSON path or a parameter's name) and what to do. */
export type Issue = {
  readonly path: string
  readonly message: string
  /** The key of the validation of the entity that the record does not meet; its message is that of the definition. */
  readonly validation?: string
  /** The columns that another record has together, of which `path` is one. */
  readonly combination?: readonly string[]
  /** The code of the error that it would be alone, where that of all is another one. */
  readonly code?: string
}

/** The maximum number of reported issues. */
export const maxIssues = 100

// A suggestion compares a name with every known one, so only the first issues get one.
const maxHints = 20
const maxPathLength = 200
const maxMessageLength = 2000

/**
 * Adds an issue unless the list is full; path and message are cut. `hint` returns the end of the message,
 * such as a suggestion; it is called only for the first issues.
 */
export const addIssue = <M extends Issue>(issues: M[], issue: M, hint?: () => string): void => {
  if (isFull(issues)) return
  const end = hint && issues.length < maxHints ? hint() : ''
  issues.push({
    ...issue,
    path: shorten(issue.path, maxPathLength),
    message: shorten(`${issue.message}${end}`, maxMessageLength),
  })
}

/**
 * Whether there are more issues than are reported: the list has one more than that, and accepts no further
 * one.
 */
export const isFull = (issues: readonly Issue[]): boolean => issues.length > maxIssues

/**
 * The issues to report: those of the list, or the first ones and a last one that says that there are more.
 */
export const shownIssues = (issues: readonly Issue[]): readonly Issue[] =>
  isFull(issues)
    ? [
        ...issues.slice(0, maxIssues),
        { path: '', message: 'there are more issues than these; fix these first' },
      ]
    : issues

/** A text for a message: beyond `longest` UTF-16 units it is cut and ends with `…`. */
export const shorten = (text: string, longest = 80): string => {
  if (text.length <= longest) return text
  const cut = text.slice(0, longest - 1)
  // Half of a surrogate pair is not a character.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** Whether reading a value has found an issue in place of it. */
export const isIssue = (value: unknown): value is { readonly issue: string } =>
  typeof value === 'object' && value !== null && 'issue' in value
