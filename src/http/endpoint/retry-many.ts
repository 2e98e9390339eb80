/** The body and the answer of requests that retry many at once: by ids, or all that failed in one way. */
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { type Issue, validationError } from '../../errors.ts'
import { objectOf, type ValueOf } from '../openapi/operation.ts'

/** Maximum of one request. */
export const maxRetried = 1000

/** `ids`, for a body that may have a status instead. */
export const retryIds = (max: number) =>
  Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: max }), {
      minItems: 1,
      maxItems: maxRetried,
      description: `These, at most ${maxRetried}.`,
    }),
  )

type Sent = { readonly ids?: readonly number[] | undefined; readonly status?: unknown }

/** Throws request.invalid unless the body has either `ids` or `status`, and no other filter together with `ids`. */
export const assertIdsOrStatus = ({ ids, status, ...filters }: Sent): void => {
  const issues: Issue[] = []
  if (ids === undefined && status === undefined)
    issues.push({ path: '', message: 'must have `ids` or `status`' })
  for (const [path, value] of Object.entries({ status, ...filters }))
    if (ids !== undefined && value !== undefined)
      issues.push({ path, message: 'is not accepted together with `ids`' })
  if (issues.length > 0) throw validationError('request.invalid', issues)
}

/** Results one by one; `hasMore` says whether the filter matches more than one request may retry. */
export const retriedSchema = (errors: readonly string[]) =>
  objectOf({
    data: {
      type: 'array',
      items: objectOf({
        id: { type: 'integer' },
        result: { type: 'string', enum: ['queued', ...errors] },
      }),
    },
    hasMore: {
      type: 'boolean',
      description: `Whether more than these ${maxRetried} match the filter.`,
    },
  })

export type RetriedPage = ValueOf<ReturnType<typeof retriedSchema>>
/** What became of one: it is queued again, or the code of an error. */
export type Retried = RetriedPage['data'][number]

/** The answer, from one result more than a request may have. */
export const retriedPage = (results: readonly Retried[]) => ({
  data: results.slice(0, maxRetried).map(({ id, result }) => ({ id, result })),
  hasMore: results.length > maxRetried,
})
