/** The APIs of providers: how they are asked, and which e-mails can be retried after which answer. */
import { errorText } from '../../../errors.ts'
import { DeliveryError } from '../../delivery.ts'

type ApiAnswer = {
  readonly provider: string
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined
  /** True if the provider's own code means that the error is temporary or that the operator must act. */
  readonly mayPass?: boolean | undefined
  readonly message: string
  /** The header Retry-After: seconds or a date (RFC 9110, 10.2.3). */
  readonly retryAfter?: string | undefined
  readonly cause?: unknown
}

// The operator corrects a key that is wrong or lacks a permission; then the e-mail is sent.
const correctable = new Set([401, 403, 408, 429])

/**
 * 4xx is final, except errors that are temporary or that the operator corrects; everything else is retried.
 */
export const providerError = ({
  provider,
  status,
  mayPass = false,
  message,
  retryAfter,
  cause,
}: ApiAnswer): DeliveryError => {
  const isRefused =
    status !== undefined && status >= 400 && status < 500 && !correctable.has(status)
  const shown = status === undefined ? message : `${status} ${message}`
  return new DeliveryError(`${provider}: ${shown}`, {
    retryable: !isRefused || mayPass,
    retryAfterMs: readRetryAfter(retryAfter),
    cause,
  })
}

const longestWaitMs = 86_400_000

/** The header Retry-After in milliseconds, at most a day. */
export const readRetryAfter = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), longestWaitMs) : undefined
}

/** Why there was no response: the message of the network error, which clients often wrap. */
export const networkText = (error: unknown): string => {
  const { cause, code } = error as { readonly cause?: unknown; readonly code?: unknown }
  if (cause instanceof Error) return networkText(cause)
  return errorText(error) || String(code ?? 'no answer')
}

/** Base64 of an attachment, for the APIs. */
export const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

type Question = {
  readonly provider: string
  readonly url: URL | string
  readonly request: RequestInit
  /** What an answer other than 2xx means, from its body. */
  readonly explain: (
    text: string,
    answer: Response,
  ) => Pick<ApiAnswer, 'message' | 'mayPass' | 'retryAfter'>
}

/** The body of the answer; throws a DeliveryError unless it is 2xx. */
export const askApi = async ({ provider, url, request, explain }: Question): Promise<string> => {
  const answered = async () => {
    const answer = await fetch(url, request)
    return { answer, text: await answer.text() }
  }
  const { answer, text } = await answered().catch((cause: unknown) => {
    throw providerError({ provider, status: undefined, message: networkText(cause), cause })
  })
  if (answer.ok) return text
  const { message, mayPass, retryAfter } = explain(text, answer)
  throw providerError({
    provider,
    status: answer.status,
    message,
    mayPass,
    retryAfter: answer.headers.get('retry-after') ?? retryAfter,
  })
}

/** The object in a text of JSON; an empty one if it is none. */
export const jsonOf = <T extends object>(text: string): Partial<T> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : {}
  } catch {
    return {}
  }
}
