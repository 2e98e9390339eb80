/**
 * Spans of what the service does. Only what belongs to a trace has spans: a request, and the work that follows it.
 * Without a tracer there is none, nothing is loaded for it, and the work runs as if this file were not there.
 */

/** Never values of records, parameters of statements or secrets. */
type SpanAttributes = Readonly<Record<string, string | number>>

export type SpanDescription = {
  /** As the semantic conventions of OpenTelemetry name it. */
  readonly name: string
  readonly kind: 'server' | 'client' | 'consumer' | 'internal'
  readonly attributes?: SpanAttributes
}

export type Span = {
  /** Runs work below it. */
  readonly run: <T>(work: () => T) => T
  /** `error`: only its type or code is kept, since a message may contain values. */
  readonly end: (outcome?: {
    readonly attributes?: SpanAttributes
    readonly error?: unknown
  }) => void
}

export type Tracer = {
  /** Below a parent (a `traceparent` of W3C), else below the running span, else a trace of its own. */
  readonly begin: (description: SpanDescription, parent?: string) => Span
  /** The `traceparent` of the running span. */
  readonly current: () => string | undefined
}

let tracer: Tracer | undefined

/** From now on, in this thread. */
export const setTracer = (next: Tracer | undefined): void => {
  tracer = next
}

export const tracerInUse = (): Tracer | undefined => tracer

/** The `traceparent` of what runs now, for work that follows it elsewhere; undefined outside of a trace. */
export const currentTrace = (): string | undefined => tracer?.current()

/** Runs work in a span, if the parent or the running work belongs to a trace. */
export const inSpan = <T>(
  description: SpanDescription,
  work: () => Promise<T>,
  parent?: string | null,
): Promise<T> => {
  if (!tracer || (parent ?? tracer.current()) === undefined) return work()
  return runToEnd(tracer.begin(description, parent ?? undefined), work)
}

/** A span that its caller ends, if the running work belongs to a trace. */
export const beginSpan = (description: SpanDescription): Span | undefined =>
  currentTrace() === undefined ? undefined : tracer?.begin(description)

const runToEnd = async <T>(span: Span, work: () => Promise<T>): Promise<T> => {
  try {
    const result = await span.run(work)
    span.end()
    return result
  } catch (error) {
    span.end({ error })
    throw error
  }
}
