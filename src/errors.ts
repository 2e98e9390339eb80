/**
 * The one list of error codes. Status, title and the next step of every fault a caller can meet
 * stand here; `docs/errors.md` shows the same list and a test holds both equal.
 */

type ErrorKind = {
  /** HTTP status of the answer. */
  readonly status: number
  /** What is wrong, the same sentence for every occurrence. */
  readonly title: string
  /** What to do next. */
  readonly hint: string
}

export const errorKinds = {
  'request.malformed-json': {
    status: 400,
    title: 'The body is not valid JSON.',
    hint: 'Send one JSON document in UTF-8; `detail` names the place where it breaks.',
  },
  'request.invalid': {
    status: 400,
    title: 'The request is malformed.',
    hint: 'Mend every entry of `errors`; nothing was changed.',
  },
  'request.not-json': {
    status: 415,
    title: 'The body is not JSON.',
    hint: 'Send the header `Content-Type: application/json`.',
  },
  'request.too-large': {
    status: 413,
    title: 'The body is too large.',
    hint: 'Send less at once, or raise BODY_LIMIT_BYTES.',
  },
  'request.no-such-path': {
    status: 404,
    title: 'There is no such path.',
    hint: 'The API page at /api/docs lists every path.',
  },
  'request.method-not-allowed': {
    status: 405,
    title: 'This path does not take that method.',
    hint: 'The header `Allow` names the methods that it takes.',
  },
  'request.saturated': {
    status: 503,
    title: 'The service is at its limit.',
    hint: 'Try again after the seconds named in `Retry-After`.',
  },
  'request.failed': {
    status: 500,
    title: 'The service failed to answer.',
    hint: 'Nothing was changed. Give the `requestId` to the operator: the log tells why.',
  },
  'caller.unauthenticated': {
    status: 401,
    title: 'The caller is not known.',
    hint: 'Send `Authorization: Bearer <token>` with a valid token or API key.',
  },
  'caller.forbidden': {
    status: 403,
    title: 'The caller has not the right to do this.',
    hint: 'Ask an administrator for the right named in `detail`.',
  },
  'entity.unknown': {
    status: 404,
    title: 'There is no such entity.',
    hint: 'GET /api/entities lists the entities that you may see.',
  },
  'record.unknown': {
    status: 404,
    title: 'There is no such record.',
    hint: 'It does not exist, was removed, or you may not read it.',
  },
  'record.invalid': {
    status: 422,
    title: 'The record breaks the rules of its entity.',
    hint: 'Mend every entry of `errors`; nothing was changed.',
  },
  'record.conflict': {
    status: 409,
    title: 'The record is in conflict with another one.',
    hint: 'Change the values named in `errors`; nothing was changed.',
  },
  'record.stale': {
    status: 412,
    title: 'The record has changed since you read it.',
    hint: 'Read it again, apply your change to the new state, and send its new ETag in `If-Match`.',
  },
  'workflow.action-not-open': {
    status: 409,
    title: 'The action is not open in the step of the record.',
    hint: 'GET the `actions` of the record: they are what is open to you now.',
  },
  'task.unknown': {
    status: 404,
    title: 'There is no such task.',
    hint: 'It was removed, or it neither belongs to this record nor is linked to it.',
  },
  'task.feed-unknown': {
    status: 404,
    title: 'There is no such calendar feed.',
    hint: 'The feed was ended or replaced; POST /api/tasks/calendar makes a new address.',
  },
  'delivery.unknown': {
    status: 404,
    title: 'There is no such delivery.',
    hint: 'GET /api/deliveries lists the e-mails that were sent or are to be.',
  },
  'delivery.not-failed': {
    status: 409,
    title: 'The delivery has not failed.',
    hint: 'Only an e-mail that failed or is dead can be sent once more.',
  },
  'criteria.invalid': {
    status: 400,
    title: 'The query criteria are not valid.',
    hint: 'Mend every entry of `errors`; docs/criteria.md lists the operators.',
  },
  'export.cell-too-long': {
    status: 422,
    title: 'A value is too long for a cell of this format.',
    hint: 'Export as csv, ndjson or json, or leave the column named in `detail` out with `$select`.',
  },
  'export.not-acceptable': {
    status: 406,
    title: 'There is no such export format.',
    hint: 'Ask for csv, xlsx, ndjson or json by `?format=` or the header `Accept`.',
  },
  'document.unknown': {
    status: 404,
    title: 'There is no such printable document.',
    hint: 'GET /printable_document lists those that there are, each for one entity.',
  },
  'document.invalid': {
    status: 422,
    title: 'The printable document cannot be made.',
    hint: 'Tell its author: every entry of `errors` names a place in the template.',
  },
  'job.unknown': {
    status: 404,
    title: 'There is no such job.',
    hint: 'It is done or was removed; GET /api/jobs lists the jobs that there are.',
  },
  'job.running': {
    status: 409,
    title: 'The job runs now.',
    hint: 'Wait until it has ended; GET /api/jobs?status=running lists what runs.',
  },
  'idempotency.key-reused': {
    status: 422,
    title: 'This Idempotency-Key was used with another request.',
    hint: 'Use a new key for a new request.',
  },
  'database.unavailable': {
    status: 503,
    title: 'The database does not answer.',
    hint: 'Try again after the seconds named in `Retry-After`.',
  },
  'issuer.unavailable': {
    status: 503,
    title: 'The issuer of the tokens does not answer.',
    hint: 'Try again after the seconds named in `Retry-After`; an API key works meanwhile.',
  },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof errorKinds

/** One mistake of a request: where it is (a JSON path or a parameter's name) and what to do. */
export type Mistake = { readonly path: string; readonly message: string }

type FaultOptions = {
  readonly errors?: readonly Mistake[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A fault of the list above, with what is particular to this occurrence. */
export class Fault extends Error {
  readonly code: ErrorCode
  readonly errors: readonly Mistake[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, detail: string, options: FaultOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.errors = options.errors ?? []
    this.headers = options.headers ?? {}
  }
}

/** Makes the fault to throw; `detail` says what was met, `errors` every mistake found. */
export const fault = (code: ErrorCode, detail: string, options?: FaultOptions): Fault =>
  new Fault(code, detail, options)

/** A fault of a command or of the start: a sentence for the person at the terminal, no stack. */
export class StartFault extends Error {
  override name = 'StartFault'
}

/** Wraps a list of mistakes as one fault whose detail is the only one, or their number. */
export const faultOfMistakes = (code: ErrorCode, errors: readonly Mistake[]): Fault => {
  const [first] = errors
  const detail = errors.length === 1 && first ? sentence(first) : `${errors.length} mistakes.`
  return fault(code, detail, { errors })
}

/** The whole body has no path. */
const sentence = ({ path, message }: Mistake): string =>
  path === '' ? message : `${path}: ${message}`

/** The message of anything thrown. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
