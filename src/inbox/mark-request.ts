/** A request to mark notifications: which ones, and as what. */
import type { Static } from 'typebox'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { shown } from '../definitions/values/check-value.ts'
import { parseTimestamp } from '../definitions/values/timestamps.ts'
import { type Issue, validationError } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'

export type MarkRequest = {
  /** Well-formed ids. */
  readonly ids: readonly string[]
  readonly status: 'seen' | 'unseen'
  /** With one of these, besides the ids: all that are later, ISO 8601. */
  readonly after: string | undefined
  /** All up to this time. */
  readonly before: string | undefined
  /** Those that the call of this moment has marked as seen and that are seen since, ISO 8601. */
  readonly markedAt?: string | undefined
}

/** Maximum ids of one request. */
const maxIds = 10_000

/** An id for examples. */
export const exampleId = '019df21b-c740-7a17-b6c0-93a1905f2457'

const moment = (description: string) =>
  Type.String({
    examples: ['2026-05-04 08:30:00', '2026-05-04T08:30:00.000Z'],
    description,
  })

const markSchema = Type.Object(
  {
    ids: Type.Array(Type.String(), { maxItems: maxIds }),
    status: Type.Enum(['seen', 'unseen'], { type: 'string' }),
    after: Type.Optional(
      moment(
        'Besides `ids`, all with a later timestamp; a time without offset is of the zone of the service.',
      ),
    ),
    before: Type.Optional(
      moment('Besides `ids`, all up to this moment; with `after` those between the two.'),
    ),
    markedAt: Type.Optional(
      moment(
        'Only with `unseen`: besides `ids`, all that one call has marked as seen; the value of its header `X-Marked-At`.',
      ),
    ),
  },
  { additionalProperties: false },
)

/** The body of a mark. */
export const markBody = checkedBody(markSchema, {
  some: { summary: 'These', value: { ids: [exampleId], status: 'seen' } },
  all: {
    summary: 'All up to the latest one that was shown',
    value: { ids: [], status: 'seen', before: '2026-05-04T08:30:00.000Z' },
  },
})

/** Parses the body; throws request.invalid. Local times are in `timeZone`. */
export const toMarkRequest = (body: Static<typeof markSchema>, timeZone: string): MarkRequest => {
  const issues: Issue[] = []
  const momentOf = (path: 'after' | 'before' | 'markedAt') => {
    const text = body[path]
    if (text === undefined) return undefined
    const parsed = parseTimestamp(text, timeZone)
    const wanted = 'a time that exists, as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset'
    if (parsed === undefined)
      issues.push({ path, message: `must be ${wanted}, not ${shown(text)}` })
    return parsed
  }
  const after = momentOf('after')
  const before = momentOf('before')
  const markedAt = momentOf('markedAt')
  if (body.markedAt !== undefined && body.status !== 'unseen')
    issues.push({ path: 'markedAt', message: 'is only for the status unseen' })
  const moments = [body.after, body.before, body.markedAt]
  if (body.ids.length === 0 && moments.every((one) => one === undefined))
    issues.push({
      path: 'ids',
      message: 'names no notification; give `after` or `before` to mean all later or earlier',
    })
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return { ids: body.ids.filter(isUuid), status: body.status, after, before, markedAt }
}

// A value that is not an id matches no notification, and is ignored like the id of one that does not exist.
const isUuid = (id: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id)
