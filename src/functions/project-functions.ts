/** Calls the functions of a project by name: built-in ones run here, others in worker processes. */
import { closestWord } from '../did-you-mean.ts'
import type { Observe } from '../observations.ts'
import type { FunctionFiles, FunctionKind } from './find-functions.ts'
import { type Failure, FunctionError, logTo } from './function-call.ts'
import type {
  FunctionDocument,
  FunctionSubject,
  LogSeverity,
  OfferedServices,
} from './function-context.ts'
import { createFunctionPool, type FunctionLimits } from './function-pool.ts'
import { nativeFunctions, runNative } from './native-functions.ts'

type Options = {
  readonly files: FunctionFiles
  readonly services: OfferedServices
  readonly observe: Observe
  readonly limits: FunctionLimits
  /** Whether to use changed files from the next call on. */
  readonly watch: boolean
  readonly nodeEnv?: string
  /** Their environment besides NODE_ENV and TZ. */
  readonly variables?: Readonly<Record<string, string>>
}

export type ProjectFunctions = {
  /** The files that a document function makes, own or built in; throws a FunctionError. */
  readonly makeDocuments: (
    name: string,
    subject: FunctionSubject,
    /** Services for a built-in function, instead of those with every permission. */
    offered?: OfferedServices,
  ) => Promise<readonly FunctionDocument[]>
  /** Resolves when the message handler has done its work; throws a FunctionError. */
  readonly handleMessage: (name: string, subject: FunctionSubject) => Promise<void>
  /** Ends the processes; calls that run or wait fail. */
  readonly close: () => Promise<void>
}

/** Starts no process before the first call. */
export const createProjectFunctions = (options: Options): ProjectFunctions => {
  const { files, services, observe, limits, watch } = options
  const emit = (name: string, severity: LogSeverity, text: string) =>
    observe({ kind: 'functionLogged', function: name, severity, text })
  const pool = createFunctionPool({
    services,
    watch,
    nodeEnv: options.nodeEnv ?? 'production',
    variables: options.variables ?? {},
    limits,
    onLogged: ({ name }, severity, text) => emit(name, severity, text),
  })
  const call = async (kind: FunctionKind, name: string, subject: FunctionSubject) => {
    const file = files[kind].get(name)
    if (!file) throw new FunctionError({ kind, name }, unknown(kind, name, files))
    return pool.run({ file, subject })
  }
  return {
    makeDocuments: async (name, subject, offered = services) => {
      const native = nativeFunctions.get(name)
      if (!native) return call('document', name, subject)
      const log = logTo((severity, text) => emit(name, severity, text))
      const { maxBytes } = limits
      const end = await runNative(native, { subject, services: offered, log, maxBytes })
      if ('failure' in end) throw new FunctionError({ kind: 'document', name }, end.failure)
      return end.documents
    },
    handleMessage: async (name, subject) => {
      await call('handler', name, subject)
    },
    close: () => pool.close(),
  }
}

const unknown = (kind: FunctionKind, name: string, files: FunctionFiles): Failure => {
  const known = [...files[kind].keys(), ...(kind === 'document' ? nativeFunctions.keys() : [])]
  const near = closestWord(name, known)
  const all = known.length === 0 ? 'there are none' : `those are: ${known.join(', ')}`
  const hint = near === undefined ? all : `did you mean "${near}"?`
  return { reason: 'unknown', text: `is not a function of the project (${hint})` }
}
