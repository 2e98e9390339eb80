/** Whether a message says the comment of an action: what it prints decides, and not that its template names it. */

// Private use characters, which a comment hardly contains; what the text has of them is counted, so that it does not matter.
const marks = ['\uE000', '\uE001'] as const
const anyMark = /[\uE000\uE001]/g

/**
 * Whether a rendered message has the whole comment. It is rendered once more with marks around the comment: where they appear,
 * the comment was printed, also in another form, such as in upper case; a condition prints none of them.
 */
export const saysComment = (
  message: string,
  comment: string,
  render: (comment: string) => string,
): boolean => {
  const [begin, end] = marks
  const marked = render(begin + comment + end)
  // A comparison or the length of a text came out otherwise: then the very words have to be there.
  if (withoutMarks(marked) !== withoutMarks(message)) return message.includes(comment.trim())
  return marks.every((mark) => countOf(marked, mark) > countOf(message, mark))
}

const withoutMarks = (text: string): string => text.replaceAll(anyMark, '')

const countOf = (text: string, mark: string): number => text.split(mark).length
