/** Converts the declaration of an endpoint to its operation in the OpenAPI document. */
import type { ErrorCode } from '../../error-kinds.ts'
import type { Body, EntityPlace } from '../endpoint/body.ts'
import { headerName, type Parameter, type Parameters } from '../endpoint/parameters.ts'
import type { Operation, OperationParameter } from './operation.ts'

type Texts = Pick<
  Operation,
  'path' | 'id' | 'tag' | 'summary' | 'answers' | 'errors' | 'isPublic'
> & {
  readonly description?: string | undefined
}

type Declared = {
  readonly method: Operation['method']
  readonly params?: Parameters | undefined
  readonly query?: Parameters | undefined
  readonly headers?: Parameters | undefined
  readonly body?: Body | undefined
  readonly errors?: readonly ErrorCode[] | undefined
}

/** The operation; `place` for one of an entity. */
export const describeOperation = (one: Declared, texts: Texts, place?: EntityPlace): Operation => {
  const { method, params = {}, query = {}, headers = {}, body, errors = [] } = one
  const { path, id, tag, summary, description, answers, isPublic } = texts
  const all = [...Object.values(params), ...Object.values(query), ...Object.values(headers)]
  return {
    method,
    path,
    id,
    tag,
    summary,
    description,
    answers,
    isPublic,
    parameters: [
      ...describeAll('path', params, place),
      ...describeAll('query', query, place),
      ...describeAll('header', headers, place),
    ],
    body: body?.describe?.(place),
    errors: [...texts.errors, ...errors, ...all.flatMap((parameter) => parameter.errors ?? [])],
  }
}

const describeAll = (
  where: OperationParameter['in'],
  parameters: Parameters,
  place: EntityPlace | undefined,
): OperationParameter[] =>
  Object.entries(parameters).map(([name, parameter]) => ({
    name: where === 'header' ? headerName(name) : name,
    in: where,
    description: descriptionOf(parameter, place),
    schema: parameter.schema,
    ...((where === 'path' || parameter.isRequired) && { required: true }),
    ...(parameter.isList && { style: 'form', explode: false }),
  }))

const descriptionOf = (
  { description }: Parameter<unknown, unknown>,
  place: EntityPlace | undefined,
) => (typeof description === 'string' ? description : place ? description(place.entity) : '')
