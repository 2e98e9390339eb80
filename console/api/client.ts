/** Requests to the service of this page: JSON in and out, errors as values with everything the service said. */
import { parseExact } from './exact-json.ts'
import type { RecordPage } from './types.ts'

/** What is wrong with one value. */
export type Issue = {
  readonly path: string
  readonly message: string
  /** The key of a validation of the entity, whose message this is. */
  readonly validation?: string
  /** Columns that another record has together. */
  readonly combination?: readonly string[]
  /** The code of the error that it would be alone, where that of all is another one. */
  readonly code?: string
}

/** An error of the service (RFC 9457), or of the way to it: then the status is 0. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  /** What to do. */
  readonly hint: string | undefined
  /** Issues by the path of the value that has them. */
  readonly issues: readonly Issue[]
  /** Seconds after which it may be tried again. */
  readonly retryAfter: number | undefined

  constructor(status: number, body: ProblemBody, retryAfter?: number) {
    super(body.detail ?? body.title ?? '')
    this.name = 'ApiProblem'
    this.status = status
    this.code = body.code ?? ''
    this.hint = body.hint
    this.issues = body.errors ?? []
    this.retryAfter = retryAfter
  }
}

/** The status of an error that came from the service, 0 if no answer came; undefined of any other error. */
export const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiProblem ? error.status : undefined

type ProblemBody = {
  readonly title?: string
  readonly detail?: string
  readonly code?: string
  readonly hint?: string
  readonly errors?: readonly Issue[]
}

export type RequestOptions = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** A value to send as JSON, or a file. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The version that it changes: the service refuses to change another one. */
  readonly etag?: string | undefined
  readonly signal?: AbortSignal
  /** Sends it in place of `fetch`. */
  readonly by?: typeof fetch
  /** Whether the answer is the same in every language. */
  readonly isWordless?: boolean
  /** Whether an answer 401 is about what was sent, and not about the session. */
  readonly isSignIn?: boolean
}

/** A JSON answer with its headers. */
export type Answer<T> = {
  readonly value: T
  readonly headers: Headers
  readonly etag: string | undefined
}

/** The path under which the service stands; empty at the root of its host. */
export const basePath =
  document.querySelector<HTMLMetaElement>('meta[name="docket-base"]')?.content ?? ''

/** The address of a path of the service. */
export const urlOf = (path: string, query: RequestOptions['query'] = {}): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `${basePath}${path}${text && `?${text}`}`
}

/** What an error says for which no answer came, in the language of the user. */
let unreachableText = ''

export const setUnreachableText = (text: string): void => {
  unreachableText = text
}

let askedLanguage = ''
let languageHeaders: { readonly 'Accept-Language'?: string } = {}

const baseOf = (tag: string | undefined): string => tag?.split('-')[0] ?? ''

/**
 * Asks for all that follows in this language; whether it is another one than before. Browsers name their own language
 * themselves, also in what the page asks for before its scripts run.
 */
export const askIn = (wanted: string): boolean => {
  if (wanted === askedLanguage) return false
  askedLanguage = wanted
  const { languages } = navigator
  const regions = languages.filter((tag) => baseOf(tag) === wanted)
  const others = languages.filter((tag) => baseOf(tag) !== wanted).map((tag) => `${tag};q=0.5`)
  languageHeaders =
    baseOf(languages[0]) === wanted
      ? {}
      : { 'Accept-Language': [...regions, wanted, ...others].join(', ') }
  return true
}

/** Called for every answer 401: the session has ended. */
let onUnauthenticated: () => void = () => undefined

export const setOnUnauthenticated = (listener: () => void): void => {
  onUnauthenticated = listener
}

/** Sends a request; throws an ApiProblem for every answer that is not a success. */
export const send = async <T>(path: string, options?: RequestOptions): Promise<Answer<T>> => {
  const response = await open(path, options)
  const text = await response.text()
  return {
    value: (text === '' ? undefined : parseExact(text)) as T,
    headers: response.headers,
    etag: response.headers.get('ETag') ?? undefined,
  }
}

/** Sends a request whose answer is read as it comes. */
export const open = async (path: string, options: RequestOptions = {}): Promise<Response> => {
  const { method = 'GET', query, body, headers, etag, signal, isSignIn = false } = options
  const language = options.isWordless ? {} : languageHeaders
  const url = urlOf(path, query)
  const asked = method === 'GET' && takeFirstAnswer(url, language['Accept-Language'])
  const init: RequestInit = {
    method,
    // What the page asked for came in the language of the browser; it is only used by requests of the same mode.
    credentials: 'Accept-Language' in language ? 'include' : 'same-origin',
    headers: {
      Accept: 'application/json',
      ...language,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(etag !== undefined && { 'If-Match': etag }),
      ...headers,
    },
    ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  const response = await reach(url, asked, init, options.by)
  if (response.status === 401) forgetFirstAnswers()
  if (response.status === 401 && !isSignIn) onUnauthenticated()
  if (!response.ok) throw await problemOf(response, path)
  return response
}

/** The value of an answer alone. */
export const request = async <T>(path: string, options?: RequestOptions): Promise<T> =>
  (await send<T>(path, options)).value

type SearchOptions = {
  readonly limit?: number
  readonly page?: number | undefined
  readonly include?: string | undefined
  readonly signal?: AbortSignal
}

/** The records of an entity that match. */
export const searchRecords = <Page = RecordPage>(
  entity: string,
  body: object,
  { signal, ...query }: SearchOptions = {},
): Promise<Page> =>
  request(`/${entity}/search`, { method: 'POST', query, body, ...(signal && { signal }) })

const tasks = new MessageChannel()
const waiting: (() => void)[] = []
tasks.port1.onmessage = () => waiting.shift()?.()

/** Ends after what is done now: a call of `fetch` takes so long that what a click has opened would be shown later. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    tasks.port2.postMessage(undefined)
  })

const reach = async (
  url: string,
  asked: Promise<Response> | false | undefined,
  init: RequestInit,
  by = fetch,
): Promise<Response> => {
  if (!asked) await nextTask()
  try {
    return await (asked || by(url, init))
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiProblem(0, { code: 'unreachable', detail: unreachableText })
  }
}

/** Messages of the validations of an entity by key, or of those of one of its lists, in the language of the user. */
let validationTexts: (entity: string, list: string | undefined) => ReadonlyMap<string, string> =
  () => new Map()

export const setValidationTexts = (texts: typeof validationTexts): void => {
  validationTexts = texts
}

/** An error with the messages of validations in the language of the user; the path names the entity. */
const inLanguage = (body: ProblemBody, path: string): ProblemBody => {
  if (!body.errors?.some(({ validation }) => validation)) return body
  const entity = path.split('/')[1] ?? ''
  const errors = body.errors.map((issue) => {
    const [, list] = /(\w+)\.(?:create|change|remove)\[/.exec(issue.path) ?? []
    const message = validationTexts(entity, list).get(issue.validation ?? '') ?? issue.message
    return { ...issue, message }
  })
  // What is wrong with a single value is said at its field.
  const said = errors.filter(({ validation, path: at }) => validation || !at)
  return { ...body, errors, detail: said.map(({ message }) => message).join(' ') }
}

const problemOf = async (response: Response, path: string): Promise<ApiProblem> => {
  const body = inLanguage((await response.json().catch(() => ({}))) as ProblemBody, path)
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return new ApiProblem(response.status, body, Number.isFinite(retryAfter) ? retryAfter : undefined)
}

type FirstAnswers = {
  /** The header that it was asked with. */
  readonly language: string
  readonly answers: Map<string, Promise<Response>>
}

const { docketFirst } = globalThis as { readonly docketFirst?: FirstAnswers }

/** The answer to a request that was sent already with the same header; each is given once. */
const takeFirstAnswer = (
  url: string,
  language: string | undefined,
): Promise<Response> | undefined => {
  if (!docketFirst || docketFirst.language !== language) return undefined
  const answer = docketFirst.answers.get(url)
  docketFirst.answers.delete(url)
  return answer
}

/** Forgets the others: they were asked for in a session that has ended. */
const forgetFirstAnswers = (): void => docketFirst?.answers.clear()

// randomUUID would need HTTPS.
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

/** Whether the service refused what was sent, which will be sent changed. */
export const isRefusal = (error: Error): boolean =>
  error instanceof ApiProblem && error.status > 0 && error.status < 500
