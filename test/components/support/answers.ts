/**
 * Answers of a service that is not there: each is checked against the OpenAPI document that the service would have, so that
 * no test relies on what the service does not say.
 */
import type { Entity, RecordRow } from '../../../console/api/types.ts'
import { type ApiDocument, readApiDocument } from '../../support/api-document.ts'
import type { ProjectDescription } from './describe-project.ts'
import { recordAnswers } from './record-answers.ts'

export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The JSON of the request; undefined without one, such as of a file. */
  readonly body: unknown
  /** The body as it was sent. */
  readonly text: string
  readonly headers: Headers
  /** Says whether the page does not wait for the answer any more. */
  readonly signal: AbortSignal
}

export type Given = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a string or bytes are sent as they are. */
  readonly body?: unknown
}

/** What the records of a test would answer, to this body if there is one. */
type Usual = (body?: object) => Promise<Given>

/** Answers a request; a promise that is not resolved yet keeps the page waiting. */
export type Answer = Given | ((asked: Asked, usual: Usual) => Given | Promise<Given>)

/** Answers by method and path, such as `GET /order/1`. */
export type Answers = Readonly<Record<string, Answer>>

/** Records by entity, for lists, pages of records and choices. */
export type Records = Readonly<Record<string, readonly RecordRow[]>>

/** An error of the service (RFC 9457). */
export const problem = (
  status: number,
  code: string,
  detail: string,
  rest: object = {},
): Given => ({
  status,
  headers: { 'Content-Type': 'application/problem+json; charset=utf-8' },
  body: {
    type: `https://docket.dev/errors/${code}`,
    title: code,
    status,
    code,
    detail,
    requestId: '1',
    hint: 'Try something else.',
    ...rest,
  },
})

/** A page of a list, which has no other. */
export const pageOf = (data: readonly unknown[]): Given => ({
  body: { data, next: null, previous: null },
})

/** What every page asks for, and what records answer. */
const usualAnswers = (project: ProjectDescription, records: Records): Answers => {
  const { name, locale, timeZone, firstDayOfWeek } = project
  let settings: object = {}
  const usual: Record<string, Answer> = {
    'GET /console/-/config.json': {
      body: {
        name,
        locale,
        timeZone,
        firstDayOfWeek,
        signIn: 'development',
        ways: [],
        sendsEmail: false,
        version: '0.0.0',
        command: 'npx docket',
      },
    },
    'GET /api/me': { body: project.me },
    'GET /api/entities': { body: { data: project.entities } },
    'GET /console/-/settings.json': () => ({ body: settings }),
    'PATCH /console/-/settings.json': ({ body }) => {
      settings = { ...settings, ...(body as object) }
      return { body: settings }
    },
    'GET /console/-/session': {
      body: { user_id: 1, expires_at: '2100-01-01T00:00:00.000Z', may_switch: false },
    },
    'GET /api/notifications/count': { body: { count: 0 } },
    'GET /api/refused-sign-ins': { body: { data: [] } },
    'GET /api/approvals/count': { body: { count: 0, isCapped: false } },
    'GET /api/tasks/count': {
      body: { open: 0, overdue: 0, today: 0, upcoming: 0, completed: 0 },
    },
    'POST /saved_view/search': pageOf([]),
    // Of the page of settings.
    'GET /console/-/sessions': { body: { data: [] } },
    'GET /api/notifications/preferences': {
      body: { data: [], dailyAt: '08:00', quietHours: null },
    },
    'GET /api/tasks/calendar': { body: { created_at: null } },
    'GET /console/-/keys': { body: { data: [] } },
    'GET /console/-/credentials': {
      body: {
        has_password: true,
        passkeys: [],
        app_since: null,
        recovery_codes: 0,
        is_proven: true,
      },
    },
    // A search that was typed may be asked before its page is closed.
    'GET /api/search': { body: { data: [], incomplete: [] } },
    'POST /user_role/search': {
      body: { data: [], next: null, previous: null, groups: [], groupsAreComplete: true },
    },
  }
  return { ...usual, ...recordAnswers(project.entities as readonly Entity[], records) }
}

// Each is read, and its schemas are compiled, once.
const documents = new Map<string, ApiDocument>()

const documentOf = ({ openApi }: ProjectDescription): ApiDocument => {
  const document = documents.get(openApi) ?? readApiDocument(openApi)
  documents.set(openApi, document)
  return document
}

export type Service = {
  readonly fetch: typeof fetch
  /** Every request so far. */
  readonly asked: readonly Asked[]
  /** Requests without an answer, and answers that the service would not give. */
  readonly faults: readonly string[]
  /** Answers from now on in another way. */
  readonly answer: (answers: Answers) => void
}

export const createService = (
  project: ProjectDescription,
  records: Records,
  own: Answers,
): Service => {
  const usual = usualAnswers(project, records)
  const answers: Record<string, Answer> = { ...usual, ...own }
  const document = documentOf(project)
  const asked: Asked[] = []
  const faults: string[] = []
  const operationOf = (method: string, path: string) =>
    document.operations
      .filter((one) => one.method === method && patternOf(one.path).test(path))
      // A path without parameters wins over one with them.
      .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)[0]
  const check = (request: Asked, status: number, type: string, text: string) => {
    const operation = operationOf(request.method, request.path)
    const fault = operation
      ? document.undocumented(operation, { status, type, text })
      : 'there is no such path'
    if (fault !== undefined) faults.push(`${request.method} ${request.path}: ${fault}`)
  }
  return {
    asked,
    faults,
    answer: (more) => Object.assign(answers, more),
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const url = new URL(request.url)
      const text = await request.text()
      const { method, headers, signal } = request
      const isJson = headers.get('Content-Type') === 'application/json'
      const body: unknown = isJson ? JSON.parse(text) : undefined
      const one = {
        method,
        path: url.pathname,
        query: url.searchParams,
        body,
        text,
        headers,
        signal,
      }
      asked.push(one)
      const key = `${method} ${url.pathname}`
      const answer = answers[key]
      if (!answer) faults.push(`${method} ${url.pathname}: no answer is given.`)
      const given = await giveOf(answer, one, (body = one.body as object) =>
        giveOf(usual[key], { ...one, body }),
      )
      init?.signal?.throwIfAborted()
      const response = responseOf(given)
      const { status, sent, type, headers: more } = response
      check(one, status, type, typeof sent === 'string' ? sent : 'bytes')
      return new Response(sent === '' ? null : sent, {
        status,
        headers: { 'Content-Type': type, ...more },
      })
    },
  }
}

const noAnswer = problem(404, 'request.no-such-path', 'No answer.')

const giveOf = async (
  answer: Answer | undefined,
  asked: Asked,
  usual: Usual = async () => noAnswer,
): Promise<Given> => (typeof answer === 'function' ? answer(asked, usual) : (answer ?? noAnswer))

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

const responseOf = ({ status = 200, headers = {}, body }: Given) => ({
  status,
  headers,
  type: headers['Content-Type'] ?? 'application/json; charset=utf-8',
  sent: isSentAsItIs(body) ? body : body === undefined ? '' : JSON.stringify(body),
})

const isSentAsItIs = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array
