/** Random requests: some as the document describes them, others invalid in one or several places. */
import type { Operation, Parameter } from '../api-document.ts'
import { jsonOf } from './hostile-values.ts'
import { makeValue } from './make-value.ts'
import { type Draft, headerText, mutators, type RequestMaker } from './mutate-request.ts'
import type { Request } from './request.ts'

/** Makes the next request. */
export const makeRequest = (maker: RequestMaker): Request => {
  const { random } = maker
  const operation = random.pick(maker.operations)
  const draft = draftOf(maker, operation)
  const isInvalid = random.chance(0.5)
  if (isInvalid)
    for (let changes = 1 + random.below(3); changes > 0; changes--)
      random.pick(mutators)(draft, maker)
  const path = draft.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => draft.pathParameters[name] ?? '1',
  )
  const query = draft.query.map(([name, value]) => `${name}=${value}`).join('&')
  const body =
    draft.body ?? (draft.value === undefined ? undefined : Buffer.from(jsonOf(draft.value)))
  if (body && !('Content-Type' in draft.headers)) draft.headers['Content-Type'] = 'application/json'
  return {
    caller: draft.caller,
    method: draft.method,
    headers: draft.headers,
    body,
    target: (query === '' ? path : `${path}?${query}`).replaceAll(
      /[^\x21-\x7e]/gu,
      encodeURIComponent,
    ),
    operation: draft.isForOperation ? operation : undefined,
  }
}

const draftOf = (maker: RequestMaker, operation: Operation): Draft => {
  const { random } = maker
  const draft: Draft = {
    caller: random.chance(0.4) ? 'admin' : random.pick(maker.callers),
    method: operation.method,
    path: operation.path,
    pathParameters: {},
    query: [],
    headers: {},
    value: undefined,
    body: undefined,
    isForOperation: true,
  }
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'path' && !parameter.required && !random.chance(0.25)) continue
    setParameter(draft, parameter, textOf(makeValue(maker, parameter.schema, parameter.name)))
  }
  const { body } = operation
  if (!body || !(operation.bodyIsRequired || random.chance(0.7))) return draft
  draft.value =
    body.examples.length > 0 && random.chance(0.2)
      ? structuredClone(random.pick(body.examples))
      : makeValue(maker, body.schema)
  return draft
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value))

const setParameter = (draft: Draft, parameter: Parameter, text: string): void => {
  if (parameter.in === 'path')
    draft.pathParameters[parameter.name] = encodeURIComponent(text.toWellFormed())
  else if (parameter.in === 'header') draft.headers[parameter.name] = headerText(text)
  else draft.query.push([parameter.name, encodeURIComponent(text.toWellFormed())])
}
