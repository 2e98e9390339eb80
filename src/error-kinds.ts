/**
 * The one list of error codes, with status, title and next step of every error that a caller can get;
 * `docs/errors.md` shows the same list, and a test compares them.
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
    hint: 'Send one JSON document in UTF-8; `detail` names the place of the error.',
  },
  'request.invalid': {
    status: 400,
    title: 'The request is malformed.',
    hint: 'Fix the listed `errors` and send the request again; nothing was saved.',
  },
  'request.not-json': {
    status: 415,
    title: 'The body is not plain JSON in UTF-8.',
    hint: 'Send the header `Content-Type: application/json`, and the body as it is, not compressed.',
  },
  'request.too-large': {
    status: 413,
    title: 'The body is too large.',
    hint: 'Send less at once, or raise BODY_LIMIT_BYTES; for imported files, IMPORT_LIMIT_BYTES; for uploads, FILES_MAX_BYTES.',
  },
  'request.timeout': {
    status: 408,
    title: 'The request was not received in time.',
    hint: 'Send it again, faster or in smaller parts; its time limit is BODY_TIMEOUT_SECONDS.',
  },
  'request.too-many': {
    status: 429,
    title: 'There are too many requests.',
    hint: 'Wait as many seconds as `Retry-After` says; docs/operations.md names the limits.',
  },
  'request.misdirected': {
    status: 421,
    title: 'The request is addressed to another host.',
    hint: 'Use a name of this machine such as localhost. For other machines set PUBLIC_URL, and let people sign in as docs/console-sign-in.md says.',
  },
  'request.no-such-path': {
    status: 404,
    title: 'There is no such path.',
    hint: 'The API page at /api/docs lists every path.',
  },
  'request.method-not-allowed': {
    status: 405,
    title: 'This path does not support that method.',
    hint: 'The header `Allow` lists the supported methods.',
  },
  'request.range-not-satisfiable': {
    status: 416,
    title: 'The file has no such part.',
    hint: '`Content-Range` says how many bytes it has; without `Range` all of them are answered.',
  },
  'request.saturated': {
    status: 503,
    title: 'The service is at its limit.',
    hint: 'Try again after the seconds named in `Retry-After`.',
  },
  'request.too-slow': {
    status: 503,
    title: 'The request takes too long.',
    hint: 'Request less: fewer conditions, shorter patterns, a smaller page, no $count; an export has more time. The same request will take as long again.',
  },
  'request.contended': {
    status: 503,
    title: 'Other requests block this one.',
    hint: 'Nothing was changed. Try again after the seconds named in `Retry-After`.',
  },
  'request.failed': {
    status: 500,
    title: 'The service failed to answer.',
    hint: 'Nothing was changed. Give the `requestId` to the operator: the log says why.',
  },
  'caller.unauthenticated': {
    status: 401,
    title: 'The caller is not known.',
    hint: 'Send `Authorization: Bearer <token>` with a valid token or API key.',
  },
  'caller.forbidden': {
    status: 403,
    title: 'The caller lacks a permission.',
    hint: 'Ask an administrator for the permission named in `detail`; if it names a scope, use a key without one.',
  },
  'caller.not-proven': {
    status: 403,
    title: 'You have to prove again who you are.',
    hint: 'Send your password, a code of your app or a passkey to /console/-/session/proof, or sign in again; then repeat the request.',
  },
  'caller.condition-not-met': {
    status: 403,
    title: 'The condition of a permission does not hold for the record and the caller.',
    hint: '`detail` names the fields that it compares. Bring the record into a state in which your role may write it, or ask a user whose role may.',
  },
  'session.unknown': {
    status: 404,
    title: 'There is no such session.',
    hint: 'GET /console/-/sessions lists your sessions; POST /console/-/session signs in.',
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
  'comment.unknown': {
    status: 404,
    title: 'There is no such comment on the record.',
    hint: 'It does not exist, was removed, or is not for you; GET /:entityKey/:entityId/comment lists those that you may read.',
  },
  'record.invalid': {
    status: 422,
    title: 'The record breaks the rules of its entity.',
    hint: 'Fix the listed `errors` and send the request again; nothing was saved.',
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
  'record.locked': {
    status: 409,
    title: 'The step of a record locks what was to be written.',
    hint: 'The listed `errors` name the fields and the step; nothing was changed. An action may lead to a step that does not lock them.',
  },
  'record.linked': {
    status: 409,
    title: 'Other records link to the record.',
    hint: 'The listed `errors` name them; nothing was removed. Change those links, or anonymise the record.',
  },
  'bulk.too-many': {
    status: 422,
    title: 'There is too much to write at once.',
    hint: 'Nothing was written. Narrow the criteria, or send several requests with fewer records.',
  },
  'import.unreadable': {
    status: 422,
    title: 'The file cannot be imported.',
    hint: 'Nothing was written. Change what `detail` or the listed `errors` name, in the file or in the parameters, and send it again.',
  },
  'import.unknown': {
    status: 404,
    title: 'There is no such import.',
    hint: 'List those that you may see with GET /api/imports; an import that has ended is removed after some days.',
  },
  'import.wrong-state': {
    status: 409,
    title: 'The import is in another state.',
    hint: 'Read it with GET /api/imports/<id>: `state` and `error` say what can be done.',
  },
  'upload.refused': {
    status: 422,
    title: 'The scanner has refused the file.',
    hint: 'Nothing of it was kept; `detail` says what was found. If that is a mistake, tell the operator.',
  },
  'upload.not-scanned': {
    status: 503,
    title: 'The file could not be scanned.',
    hint: 'Nothing of it was kept. Try again after the seconds named in `Retry-After`; the operator looks at the program of FILES_SCAN.',
  },
  'upload.too-much': {
    status: 422,
    title: 'Your uploads have too many bytes.',
    hint: 'Save the records that use them, or remove uploads with DELETE /api/uploads/<upload>; after 24 hours they are removed. FILES_USER_BYTES is the limit.',
  },
  'upload.unknown': {
    status: 404,
    title: 'There is no such upload.',
    hint: 'An upload is used once, by its user, within 24 hours. Send the file again.',
  },
  'file.no-thumbnail': {
    status: 404,
    title: 'The file has no thumbnail.',
    hint: '`detail` says why. Without `size` the file itself is answered.',
  },
  'workflow.action-not-open': {
    status: 409,
    title: 'The action is not open in the step of the record.',
    hint: 'GET the `actions` of the record to see those that are open to you now.',
  },
  'workflow.condition-not-met': {
    status: 409,
    title: 'The condition of the action does not hold for the record and the caller.',
    hint: 'GET the `actions` of the record to see those that are open to you. Another user may be allowed to take this one.',
  },
  'task.unknown': {
    status: 404,
    title: 'There is no such task.',
    hint: 'It was removed, or it neither belongs to this record nor is linked to it.',
  },
  'task.feed-unknown': {
    status: 404,
    title: 'There is no such calendar feed.',
    hint: 'The feed was removed or replaced; POST /api/tasks/calendar creates a new address.',
  },
  'delivery.unknown': {
    status: 404,
    title: 'There is no such delivery.',
    hint: 'GET /api/deliveries lists the deliveries that were sent or still wait.',
  },
  'delivery.not-failed': {
    status: 409,
    title: 'The delivery has not failed.',
    hint: 'Only a delivery that failed or is dead can be sent again.',
  },
  'delivery.not-composed': {
    status: 409,
    title: 'The message cannot be composed now.',
    hint: '`detail` says why; when the delivery is sent, its message is stored and can be read.',
  },
  'criteria.invalid': {
    status: 400,
    title: 'The query criteria are not valid.',
    hint: 'Fix the listed `errors`; docs/criteria.md lists the operators.',
  },
  'answer.too-large': {
    status: 422,
    title: 'The answer would be too large.',
    hint: 'Request less at once: a smaller `limit`, or with POST …/search only the fields in `$select`.',
  },
  'export.cell-too-long': {
    status: 422,
    title: 'A value is too long for a cell of this format.',
    hint: 'Export as csv, ndjson, json or parquet, or leave the column named in `detail` out with `$select`.',
  },
  'export.not-encodable': {
    status: 422,
    title: 'The encoding lacks characters of the file.',
    hint: 'Export with `encoding=utf-8`, which has all characters, or leave the columns named in `detail` out with `$select`.',
  },
  'export.not-acceptable': {
    status: 406,
    title: 'There is no such export format.',
    hint: 'Ask for csv, xlsx, ndjson, json or parquet by `?format=` or the header `Accept`.',
  },
  'export.http-too-old': {
    status: 426,
    title: 'An export needs HTTP/1.1.',
    hint: 'Use HTTP/1.1, whose responses show where they end; behind nginx, set `proxy_http_version 1.1;`.',
  },
  'export.unknown': {
    status: 404,
    title: 'There is no such export.',
    hint: 'Use the `X-Request-Id` of one of your exports; an export is listed after its first second and for an hour after its end.',
  },
  'document.unknown': {
    status: 404,
    title: 'There is no such printable document.',
    hint: 'GET /printable_document lists all of them, each for one entity.',
  },
  'document.invalid': {
    status: 422,
    title: 'The printable document cannot be rendered.',
    hint: 'Report this to its author: every entry of `errors` names a place in the template.',
  },
  'job.unknown': {
    status: 404,
    title: 'There is no such job.',
    hint: 'It is done or was removed; GET /api/jobs lists all jobs.',
  },
  'job.running': {
    status: 409,
    title: 'The job is running.',
    hint: 'Wait until it has ended; GET /api/jobs?status=running lists the running jobs.',
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
  'database.changed': {
    status: 503,
    title: 'The database follows another version of the definitions.',
    hint: 'Try again after the seconds named in `Retry-After`; a process of the newer version answers. The log names what is missing.',
  },
  'issuer.unavailable': {
    status: 503,
    title: 'The issuer of the tokens does not answer.',
    hint: 'Try again after the seconds named in `Retry-After`; an API key works in the meantime.',
  },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof errorKinds
