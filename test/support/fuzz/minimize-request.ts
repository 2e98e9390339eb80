/** The smallest request that still shows an issue, found by leaving out one part after the other. */
import type { Request } from './request.ts'

const maxTries = 120

/** Tries smaller requests; `hasSameIssue` returns whether one still has the issue. */
export const minimizeRequest = async (
  found: Request,
  hasSameIssue: (request: Request) => Promise<boolean>,
): Promise<Request> => {
  let smallest = found
  let tries = 0
  for (let isSmaller = true; isSmaller && tries < maxTries; ) {
    isSmaller = false
    for (const candidate of smallerRequests(smallest)) {
      if (tries++ >= maxTries) break
      if (!(await hasSameIssue(candidate))) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return smallest
}

function* smallerRequests(request: Request): Generator<Request> {
  for (const name of Object.keys(request.headers)) {
    const { [name]: _, ...headers } = request.headers
    yield { ...request, headers }
  }
  const [path = '', query] = request.target.split('?', 2)
  const pairs = query?.split('&') ?? []
  for (const omitted of pairs) {
    const rest = pairs.filter((pair) => pair !== omitted)
    yield { ...request, target: rest.length === 0 ? path : `${path}?${rest.join('&')}` }
  }
  const { body } = request
  if (body === undefined) return
  yield { ...request, body: undefined }
  for (const text of smallerTexts(String(body))) yield { ...request, body: Buffer.from(text) }
}

function* smallerTexts(text: string): Generator<string> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Not JSON: try each half.
    if (text.length > 1) yield text.slice(0, text.length / 2)
    if (text.length > 1) yield text.slice(text.length / 2)
    return
  }
  for (const smaller of smallerValues(value, 0)) yield JSON.stringify(smaller)
}

function* smallerValues(value: unknown, depth: number): Generator<unknown> {
  if (depth > 6) return
  if (typeof value === 'string' && value.length > 8) yield value.slice(0, value.length / 2)
  if (Array.isArray(value)) {
    if (value.length > 3) yield value.slice(0, value.length / 2)
    for (const index of value.slice(0, 20).keys()) {
      yield value.toSpliced(index, 1)
      for (const inner of smallerValues(value[index], depth + 1)) yield value.with(index, inner)
    }
  } else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value).slice(0, 40)) {
      const { [name]: _, ...rest } = value as Record<string, unknown>
      yield rest
      for (const smaller of smallerValues(inner, depth + 1)) yield { ...value, [name]: smaller }
    }
}
