/**
 * The worker of `docket start` in a thread of its own: rendering templates, records and e-mails does not
 * block the thread that answers requests.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../config/load-config.ts'
import { connectListener } from '../database/share-listener.ts'
import { fromPlainProject, type PlainProject } from '../definitions/plain-project.ts'
import { connectEngine } from '../documents/engine-channel.ts'
import { errorText } from '../errors.ts'
import { createObservationHub, type Observation } from '../observations.ts'
import { toPlainError } from '../processes/plain-error.ts'
import { startTracing } from '../telemetry/start-tracing.ts'
import { createWorker } from './create-worker.ts'
import { openRuntime } from './open-runtime.ts'

/** The workerData of the thread. */
export type WorkerThreadSettings = {
  readonly config: Config
  /** As loaded by the service: the files may have changed since, and the database matches the service. */
  readonly project: PlainProject
  readonly connectionString: string
  readonly watch: boolean
  /** The engine of documents (documents/engine-channel.ts). */
  readonly engine: MessagePort
  /** The listener of the process (database/share-listener.ts). */
  readonly listener: MessagePort
}

/** The messages of the thread. */
export type WorkerThreadReport =
  | { readonly kind: 'started' }
  | { readonly kind: 'observed'; readonly observation: Observation }
  | { readonly kind: 'stopped'; readonly unfinished: number }

const report = (message: WorkerThreadReport) => parentPort?.postMessage(message)

/** Errors may contain values that cannot be posted, such as the request of a library. */
const observe = (observation: Observation): void => {
  try {
    report({ kind: 'observed', observation })
  } catch {
    const error = 'error' in observation ? plain(observation.error) : undefined
    report({ kind: 'observed', observation: { ...observation, error } as Observation })
  }
}

const plain = (error: unknown): Error => {
  const { message, stack } = toPlainError(error)
  const made = new Error(message)
  if (stack !== undefined) made.stack = stack
  if (error instanceof Error && error.cause !== undefined) made.cause = errorText(error.cause)
  return made
}

const { config, connectionString, project, watch, engine, listener } =
  workerData as WorkerThreadSettings
const stopTracing = await startTracing(config, observe)
const runtime = openRuntime({
  config,
  connectionString,
  project: fromPlainProject(project),
  hub: createObservationHub(observe),
  engine: connectEngine(engine),
  listener: connectListener(listener),
})
const started = createWorker(runtime, { watch })
// Only a request to stop is posted.
parentPort?.on('message', async () => {
  const { stop } = await started
  report({ kind: 'stopped', unfinished: await stop() })
  await runtime.close()
  await stopTracing()
  parentPort?.close()
})
await started
report({ kind: 'started' })
