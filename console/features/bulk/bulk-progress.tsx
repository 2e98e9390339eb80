/** How far a bulk write is; it can be stopped between two requests. */
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { focused } from '../../parts/focused.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import type { Phase } from './use-bulk.ts'

type ProgressProps = {
  readonly phase: Extract<Phase, { kind: 'checking' | 'writing' }>
  readonly onStop: () => void
}

export const BulkProgress = ({ phase, onStop }: ProgressProps): ReactNode => {
  const bulk = useWorkTexts().bulk
  const { done, total } = phase
  const isStopping = phase.kind === 'writing' && phase.isStopping
  return (
    <>
      <p className="bulk-note">{phase.kind === 'checking' ? bulk.checking : bulk.stopHint}</p>
      <progress
        className="bulk-bar"
        aria-label={bulk.progress}
        // Nothing is known of the first request until it is answered.
        value={total === undefined || done === 0 ? undefined : done / total}
      />
      <p role="status">{total !== undefined && bulk.outOf(done, total)}</p>
      <div className="dialog-actions">
        <Button ref={focused} disabled={isStopping} onClick={onStop}>
          {isStopping ? bulk.stopping : bulk.stop}
        </Button>
      </div>
    </>
  )
}
