/** Threads of comments, and where they stand among the other entries of a record. */
import type { Comment } from '../../api/records/comments.ts'
import type { Field, HistoryEntry } from '../../api/types.ts'

/** A comment with its replies. */
export type Thread = {
  /** Undefined: it is older than those that were read. */
  readonly first: Comment | undefined
  /** The oldest first. */
  readonly replies: readonly Comment[]
}

/** The thread of each comment, by the id of the comment. */
export const threadsOf = (comments: readonly Comment[]): ReadonlyMap<number, Thread> => {
  const groups = Map.groupBy(comments, ({ id, parent_id: parent }) => parent ?? id)
  return new Map(
    [...groups].flatMap(([key, all]) => {
      const first = all.find(({ id }) => id === key)
      const thread = { first, replies: all.filter((one) => one !== first) }
      return all.map(({ id }) => [id, thread] as const)
    }),
  )
}

/** The thread that an entry is about. */
export const threadAt = (
  { part }: HistoryEntry,
  threads: ReadonlyMap<number, Thread>,
): Thread | undefined => (part?.entity === 'comment' ? threads.get(part.id) : undefined)

/**
 * The entries, the newest first, with one of each thread: where its newest comment was written. What became of a comment since,
 * the comment itself says.
 */
export const withThreads = (
  entries: readonly HistoryEntry[],
  threads: ReadonlyMap<number, Thread>,
): readonly HistoryEntry[] => {
  const shown = new Set<Thread>()
  return entries.filter((entry) => {
    const thread = threadAt(entry, threads)
    if (!thread) return true
    if (entry.operation !== 'createComment' || shown.has(thread)) return false
    shown.add(thread)
    return true
  })
}

/** What the hash of an address says that leads to a comment. */
export const hashOf = (commentId: number): string => `comment-${commentId}`

/** Gives a comment the focus, such as when a form in it is closed. */
export const focusComment = (id: number): void => document.getElementById(hashOf(id))?.focus()

/** The comment to which the hash of an address leads. */
export const commentOfHash = (hash: string): number | undefined => {
  const [, id] = /^comment-(\d{1,10})$/.exec(hash) ?? []
  return id === undefined ? undefined : Number(id)
}

// As its native entity has it.
const mostFiles = 20

/** The field of the service that has the files of a comment, for their input. */
export const filesField = (name: string): Field =>
  ({ key: 'files', column: 'files', name, type: 'files', maxFiles: mostFiles }) as Field
