/** Runs a built-in document function in the main thread, with the same checks as those of a project. */
import { errorText } from '../errors.ts'
import { checkDocuments } from './check-documents.ts'
import type {
  DocumentFunction,
  FunctionDocument,
  FunctionLog,
  FunctionSubject,
} from './function-context.ts'
import type { Failure } from './function-error.ts'
import type { OfferedServices } from './function-services.ts'
import { localServices } from './local-services.ts'

type Options = {
  readonly subject: FunctionSubject
  readonly services: OfferedServices
  readonly log: FunctionLog
  readonly maxBytes: number
}

// It only waits for the database, where a lock or a long sort may take time.
const timeoutMs = 30_000

/** Its documents, or its failure. */
export const runNative = async (
  exec: DocumentFunction,
  { subject, services, log, maxBytes }: Options,
): Promise<{ documents: readonly FunctionDocument[] } | { failure: Failure }> => {
  try {
    const offered = localServices(services, AbortSignal.timeout(timeoutMs))
    const checked = checkDocuments(await exec({ ...subject, services: offered, log }), maxBytes)
    return 'issue' in checked ? failed('wrong-answer', checked.issue) : checked
  } catch (error) {
    return failed('threw', `threw "${errorText(error)}"`)
  }
}

const failed = (reason: Failure['reason'], text: string) => ({ failure: { reason, text } })
