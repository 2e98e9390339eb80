/** A tracer that sends its spans to a collector by OTLP over HTTP. */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  isSpanContextValid,
  type Span as OtlpSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Observe } from '../observations.ts'
import { packageVersion } from '../package-version.ts'
import { type Span, setTracer } from '../spans.ts'
import { settledWithin } from '../within.ts'

type Options = {
  /** Without the path `/v1/traces`. */
  readonly endpoint: string
  /** Of the traces that begin here, from 0 to 1; those of callers are theirs to decide. */
  readonly share: number
  readonly observe: Observe
}

const closeWithinMs = 5_000

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/** Becomes the tracer of this thread. Returns how to send the last spans and end. */
export const openTracer = ({ endpoint, share, observe }: Options): (() => Promise<void>) => {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'docket',
      'service.version': packageVersion(),
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: reporting(exporter, observe) })],
  })
  const tracer = provider.getTracer('docket', packageVersion())
  const running = new AsyncLocalStorage<OtlpSpan>()
  setTracer({
    begin: ({ name, kind, attributes = {} }, parent) => {
      const above = parent === undefined ? running.getStore()?.spanContext() : parsed(parent)
      const context = above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, context)
      return { run: (work) => running.run(span, work), end: (outcome) => end(span, outcome) }
    },
    current: () => {
      const span = running.getStore()
      return span && printed(span.spanContext())
    },
  })
  return async () => {
    setTracer(undefined)
    await settledWithin(closeWithinMs, provider.shutdown())
  }
}

const end = (
  span: OtlpSpan,
  { attributes = {}, error }: NonNullable<Parameters<Span['end']>[0]> = {},
): void => {
  span.setAttributes(attributes)
  if (error !== undefined) {
    span.setAttribute('error.type', typeOf(error))
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

/** A code, such as an SQLSTATE, or the name of the class. */
const typeOf = (error: unknown): string => {
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return '_OTHER'
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^[\w.-]{1,60}$/.test(code) ? code : error.name
}

/** The first failure of a series is reported: the spans of all are lost. */
const reporting = (exporter: SpanExporter, observe: Observe): SpanExporter => {
  let isFailing = false
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const { code, error = new Error('The collector refused them.') } = result
        if (code !== 0 && !isFailing) observe({ kind: 'traceExportFailed', error })
        isFailing = code !== 0
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

// https://www.w3.org/TR/trace-context/#traceparent-header; later versions may append more.
const pattern = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/** Undefined for a header that is none: then the trace begins here. */
const parsed = (traceparent: string): SpanContext | undefined => {
  const [, traceId = '', spanId = '', flags = '00'] = pattern.exec(traceparent) ?? []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

const printed = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & 1}`
