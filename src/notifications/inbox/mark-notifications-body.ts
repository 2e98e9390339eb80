/** Reads the body of a mark: which notifications, and how they are to stand. */
import { kindOf } from '../../definitions/values/check-value.ts'
import { parseTimestamp } from '../../definitions/values/timestamps.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { validationError } from '../../errors.ts'
import { addIssue, type Issue, shorten } from '../../issues.ts'

export type MarkRequest = {
  /** Well-formed ids. */
  readonly ids: readonly string[]
  readonly status: 'seen' | 'unseen'
  /** With one of them, besides the ids: all that are later, ISO 8601. */
  readonly after: string | undefined
  /** All up to this moment. */
  readonly before: string | undefined
}

/** Most ids of one mark. */
export const maxIds = 10_000

const names = ['ids', 'status', 'after', 'before']
const marks = ['seen', 'unseen'] as const

/** The wish of a body; throws request.invalid with every issue. Local times are of `timeZone`. */
export const readMarkRequest = (body: unknown, timeZone: string): MarkRequest => {
  const issues: Issue[] = []
  const wrong: Wrong = (path, message, hint) => {
    addIssue(issues, { path, message }, hint)
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw validationError('request.invalid', [
      { path: '', message: `must be an object, not ${kindOf(body)}` },
    ])
  const given = body as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given).filter((one) => !names.includes(one)))
    wrong(name, 'is not a property of a mark', () => didYouMean(name, names))
  const ids = readIds(given.ids, wrong)
  const status = marks.find((mark) => mark === given.status)
  if (status === undefined) wrong('status', statusMessage(given.status))
  const after = readMoment('after', given.after, timeZone, wrong)
  const before = readMoment('before', given.before, timeZone, wrong)
  if (ids?.length === 0 && given.after === undefined && given.before === undefined)
    wrong('ids', 'names no notification; give `after` or `before` to mean all later or earlier')
  if (issues.length > 0 || ids === undefined || status === undefined)
    throw validationError('request.invalid', issues)
  return { ids: ids.filter(isUuid), status, after, before }
}

type Wrong = (path: string, message: string, hint?: () => string) => undefined

const readIds = (ids: unknown, wrong: Wrong): string[] | undefined => {
  if (!Array.isArray(ids)) return wrong('ids', `must be an array of ids, not ${kindOf(ids)}`)
  if (ids.length > maxIds)
    return wrong('ids', `has ${ids.length} entries, at most ${maxIds} are taken`)
  for (const [index, id] of ids.entries())
    if (typeof id !== 'string') wrong(`ids[${index}]`, `must be a string, not ${kindOf(id)}`)
  return ids
}

const statusMessage = (status: unknown): string => {
  const near = typeof status === 'string' ? didYouMean(status, marks) : ''
  return `must be seen or unseen, not ${shown(status)}${near}`
}

const readMoment = (
  path: string,
  value: unknown,
  timeZone: string,
  wrong: Wrong,
): string | undefined => {
  if (value === undefined) return undefined
  const moment = typeof value === 'string' ? parseTimestamp(value, timeZone) : undefined
  if (moment !== undefined) return moment
  const wanted = 'a time that exists, as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset'
  return wrong(path, `must be ${wanted}, not ${shown(value)}`)
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(shorten(value, 40)) : kindOf(value)

// A value that is not an id matches no notification, and is ignored like the id of one that does not exist.
const isUuid = (id: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id)
