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
  const onFailed = (error: Error) => {
    ignoreAway?.()
    if (hasBegun || others.length === 0 || !mayAnswerElsewhere(error))
      return listener.onFailed(error)
    if (isAway(error)) target.leave?.(error)
    if (!isBehind(error)) onMoved(error)
    again = runOnTargets({ ...options, targets: others })
    if (!again) listener.onFailed(error)
  }
  const cancel = run(target, {
    onChunk: (chunk, release) => {
      hasBegun = true
      ignoreAway?.()
      listener.onChunk(chunk, release)
    },
    onSent: (sent) => {
      ignoreAway?.()
      listener.onSent(sent)
    },
    onFailed,
  })
  // One that has sent bytes goes on: the replica may come back, and nobody else can continue it.
  const ignoreAway = target.onFoundAway?.((error) => {
    cancel?.()
    onFailed(error)
  })
  if (!cancel) ignoreAway?.()
  return (
    cancel &&
    (() => {
      ignoreAway?.()
      ;(again ?? cancel)()
    })
  )
}
