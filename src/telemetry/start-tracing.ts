/** Starts to trace if a collector is configured; without one nothing of OpenTelemetry is loaded. */
import type { Config } from '../config/load-config.ts'
import type { Observe } from '../observations.ts'

/** For this thread. Returns how to send the last spans and end. */
export const startTracing = async (
  config: Config,
  observe: Observe,
): Promise<() => Promise<void>> => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share } = config
  if (endpoint === undefined) return async () => undefined
  const { openTracer } = await import('./otlp-tracer.ts')
  return openTracer({ endpoint, share, observe })
}
