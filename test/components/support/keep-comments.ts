/** Answers for comments on the first order: what a page writes is in what it reads next, and in the history. */
import type { Comment, Follower } from '../../../console/api/records/comments.ts'
import type { HistoryEntry } from '../../../console/api/types.ts'
import { type Answer, type Answers, type Given, pageOf, problem } from './answers.ts'
import { entryOf } from './given.ts'

const at = '2026-05-04T08:30:00.000Z'

const people = [
  { id: 1, full_name: 'administrator' },
  { id: 2, full_name: 'Ana Test' },
  { id: 3, full_name: 'Boris Test' },
]

/** By default of Ana. */
export const commentOf = (id: number, text: string, more: Partial<Comment> = {}): Comment => ({
  id,
  text,
  parent_id: null,
  mentions: people.filter((one) => text.includes(`@[${one.id}]`)),
  files: [],
  is_internal: false,
  is_removed: false,
  is_own: false,
  user: { id: 2, full_name: 'Ana Test' },
  created_at: at,
  edited_at: null,
  resolved_by: null,
  resolved_at: null,
  _version: 1,
  ...more,
})

/** What becomes of uploads. */
const filesOf = (uploads: readonly string[] = []): Comment['files'] =>
  uploads.map((upload, at) => ({
    id: 70 + at,
    filename: `${upload}.png`,
    mimetype: 'image/png',
    bytes: 2_048,
    width: 1,
    height: 1,
  }))

export const keepComments = (given: readonly Comment[], older: readonly HistoryEntry[] = []) => {
  const comments = [...given]
  const entries = [...older]
  const followers: Follower[] = []
  const me = { id: 1, full_name: 'administrator' }
  const written = (operation: string, comment: Comment, changes: HistoryEntry['changes'] = {}) =>
    entries.unshift(
      entryOf(100 + entries.length, {
        operation,
        changes,
        part: { entity: 'comment', id: comment.id, text: comment.text },
        user: comment.user,
      }),
    )
  for (const one of given)
    written('createComment', one, one.files.length > 0 ? { files: { after: one.files } } : {})
  const answers: Record<string, Answer> = {
    'GET /order/1/history': ({ query }) => {
      const about = query.get('about')
      const subject = ({ part }: HistoryEntry) =>
        part === null ? 'record' : part.entity === 'comment' ? 'comments' : 'tasks'
      const isAbout = (entry: HistoryEntry) =>
        about === 'files' ? 'files' in entry.changes : subject(entry) === about
      return pageOf(entries.filter((entry) => about === null || isAbout(entry)))
    },
    'GET /order/1/comment': () => ({ body: { data: comments.toReversed() } }),
    'GET /order/1/follow': () => ({
      body: { is_following: followers.some(({ id }) => id === me.id), data: followers },
    }),
    'PUT /order/1/follow': () => {
      followers.push({ ...me, reason: 'chosen', at })
      return { status: 204 }
    },
    'DELETE /order/1/follow': () => {
      followers.splice(0)
      return { status: 204 }
    },
    'GET /api/people': ({ query }) => {
      const words = (query.get('q') ?? '').toLowerCase()
      const data = people.filter(({ full_name }) => full_name.toLowerCase().includes(words))
      return { body: { data } }
    },
    'POST /order/1/comment': ({ body }) => {
      const { text, files, ...more } = body as {
        readonly text: string
        readonly files?: readonly string[]
      }
      const id = comments.length + 1
      add(commentOf(id, text, { user: me, is_own: true, files: filesOf(files), ...more }))
      return answerWith(201, id)
    },
  }
  const answerWith = (status: number, id: number): Given => {
    const comment = comments.find((one) => one.id === id)
    return { status, headers: { ETag: `"${comment?._version}"` }, body: comment }
  }
  const change = (id: number, operation: string, more: Partial<Comment>) => {
    const place = comments.findIndex((one) => one.id === id)
    const before = comments[place]
    if (!before) throw new Error(`There is no comment ${id}.`)
    const after = { ...before, ...more, _version: before._version + 1 }
    comments[place] = after
    const changes = 'text' in more ? { text: { before: before.text, after: after.text } } : {}
    written(operation, after, changes)
  }
  const answerTo = (id: number) => {
    answers[`PATCH /order/1/comment/${id}`] = ({ body, headers }) => {
      const version = comments.find((one) => one.id === id)?._version
      const { text, is_resolved: isResolved } = body as { text?: string; is_resolved?: boolean }
      const expected = headers.get('If-Match')
      if (expected !== null && expected !== `"${version}"`)
        return problem(412, 'record.stale', 'The comment has changed since you read it.')
      if (text !== undefined) change(id, 'changeComment', { text, edited_at: at })
      else if (isResolved) change(id, 'resolveComment', { resolved_by: me, resolved_at: at })
      else change(id, 'reopenComment', { resolved_by: null, resolved_at: null })
      return answerWith(200, id)
    }
    answers[`DELETE /order/1/comment/${id}`] = () => {
      change(id, 'removeComment', { text: null, mentions: [], is_removed: true, is_own: false })
      return { status: 204 }
    }
  }
  const add = (comment: Comment) => {
    comments.push(comment)
    written('createComment', comment)
    answerTo(comment.id)
  }
  for (const { id } of given) answerTo(id)
  return { comments, followers, add, change, answers: answers as Answers }
}
