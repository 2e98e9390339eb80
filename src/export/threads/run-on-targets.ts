/** Runs an export on the first server that answers: until its first bytes another one may run it again. */
import { isAway, isBehind, mayAnswerElsewhere } from '../../database/replicas/until-replayed.ts'
import type { ExportTarget } from '../export-task.ts'
import type { Cancel, ExportListener } from './export-threads.ts'

type Options = {
  /** The best first; the last is the primary. */
  readonly targets: readonly ExportTarget[]
  readonly listener: ExportListener
  /** Undefined: no slot is free. */
  readonly run: (target: ExportTarget, listener: ExportListener) => Cancel | undefined
  /** Called before the export runs again elsewhere, unless the replica only lacks what the caller requires. */
  readonly onMoved: (error: Error) => void
}

/** Returns how to cancel the export, wherever it runs; undefined when no slot is free. */
export const runOnTargets = (options: Options): Cancel | undefined => {
  const { targets, listener, run, onMoved } = options
  const [target, ...others] = targets
  if (!target) return undefined
  let hasBegun = false
  let again: Cancel | undefined
  const cancel = run(target, {
    onChunk: (chunk, release) => {
      hasBegun = true
      listener.onChunk(chunk, release)
    },
    onSent: (sent) => listener.onSent(sent),
    onFailed: (error) => {
      if (hasBegun || others.length === 0 || !mayAnswerElsewhere(error))
        return listener.onFailed(error)
      if (isAway(error)) target.leave?.(error)
      if (!isBehind(error)) onMoved(error)
      again = runOnTargets({ ...options, targets: others })
      if (!again) listener.onFailed(error)
    },
  })
  return cancel && (() => (again ?? cancel)())
}
