/** What every endpoint declares about its requests and responses, and the types of its handler. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../../error-kinds.ts'
import type { Answer, Operation } from '../openapi/operation.ts'
import type { Body } from './body.ts'
import type { Values } from './parameters.ts'

/** A request as its handler gets it. */
export type Call<P, Q, H, B> = {
  readonly params: Values<P>
  readonly query: Values<Q>
  readonly headers: Values<H>
  readonly body: B
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** What endpoints of all kinds declare. */
export type Declaration<P, Q, H, B> = {
  readonly method: Operation['method']
  /** Parameters of the path, which contains each in braces. */
  readonly params?: P
  readonly query?: Q
  /** By their names in lower case. */
  readonly headers?: H
  /** By default no body is accepted. */
  readonly body?: Body<B>
  /** Its errors, besides those of its parameters and of every operation. */
  readonly errors?: readonly ErrorCode[]
  /** A POST that writes nothing. */
  readonly isReadOnly?: true
  /** A GET without a HEAD. */
  readonly hasNoHead?: true
}

/** The result of a handler: the value of a response, JSON as text, or the reply that it has sent. */
type Result<A> =
  | JsonText
  | FastifyReply
  | { [K in keyof A]: A[K] extends Answer<infer T> ? T : never }[keyof A]

/** What a handler returns. */
export type Handled<A> = Promise<Result<A>> | Result<A>

/** JSON that PostgreSQL printed; it is sent unchanged. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Sends JSON that is read while it is sent; after an error the connection is closed before the end. */
export const sendJsonParts = (reply: FastifyReply, parts: AsyncIterable<string>): FastifyReply =>
  reply
    .type('application/json; charset=utf-8')
    .send(Readable.from(parts, { objectMode: false, encoding: 'utf8' }))

/** A page of records that PostgreSQL printed. */
export const dataText = (records: readonly string[], rest = ''): JsonText =>
  new JsonText(`{"data":[${records.join(',')}]${rest}}`)
