/** Limits of the processes that render documents, run functions and export, and the variables of their environments. */
import { availableParallelism } from 'node:os'
import type { Config } from './load-config.ts'

const mebibyte = 1_048_576

/** Limits of the processes that render documents. */
export const documentLimitsOf = (config: Config) => ({
  // At least two, so that a slow document does not delay all others.
  maxProcesses: config.DOCUMENTS_MAX_PROCESSES ?? Math.max(2, availableParallelism() - 1),
  maxWaiting: config.DOCUMENTS_MAX_WAITING,
  maxWaitingPerCaller: config.DOCUMENTS_MAX_WAITING_PER_CALLER,
  timeoutMs: config.DOCUMENTS_TIMEOUT_SECONDS * 1000,
  memoryBytes: config.DOCUMENTS_MAX_MEMORY_MIB * mebibyte,
  // Requests for records take precedence. At 19 other processes may leave a document hardly any processor time.
  niceness: 10,
})

/** Limits of the processes that run functions. */
export const functionLimitsOf = (config: Config) => ({
  maxProcesses: config.FUNCTIONS_MAX_PROCESSES ?? availableParallelism(),
  maxWaiting: config.FUNCTIONS_MAX_WAITING,
  loadTimeoutMs: config.FUNCTIONS_LOAD_TIMEOUT_SECONDS * 1000,
  memoryBytes: config.FUNCTIONS_MAX_MEMORY_MIB * mebibyte,
  maxBytes: config.FUNCTIONS_MAX_DOCUMENT_BYTES,
})

/** How many connections exports may take. */
export const exportConnections = (config: Config) => ({
  atOnce: config.EXPORTS_AT_ONCE,
  dividedAtOnce: config.EXPORTS_DIVIDED_AT_ONCE,
  connectionsEach: config.EXPORT_CONNECTIONS ?? Math.min(4, availableParallelism()),
})

const prefix = 'DOCKET_FN_'

/** Variables whose names begin with `DOCKET_FN_`; they may hold secrets. */
export const functionVariables = (
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== undefined ? [[name, value]] : [],
    ),
  )

/** Of our own programs: where programs are found, and no secret. */
export const childEnvironment = (): Readonly<Record<string, string>> => {
  const { PATH, SystemRoot } = process.env
  return { ...(PATH && { PATH }), ...(SystemRoot && { SystemRoot }) }
}
