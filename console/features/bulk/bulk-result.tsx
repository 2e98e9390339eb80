/** What became of each record of a bulk write, those that were not written first, and the way back. */

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Outcome } from '../../api/bulk.ts'
import { ApiProblem } from '../../api/client.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { focused } from '../../parts/focused.ts'
import { ScrolledBody } from '../../parts/scrolled-body.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { reasonOf } from './operations.ts'
import { undoOf } from './undo.ts'
import type { Phase } from './use-bulk.ts'

type ResultProps = {
  readonly entity: Entity
  readonly phase: Extract<Phase, { kind: 'done' }>
  readonly onClose: () => void
  readonly onUndo: () => void
}

export const BulkResult = ({ entity, phase, onClose, onUndo }: ResultProps): ReactNode => {
  const bulk = useWorkTexts().bulk
  const { common } = useTexts()
  const { run, wanted, targets, isUndone } = phase
  const { done, unchanged, refused } = run.counts
  const canUndo =
    !isUndone &&
    undoOf({ entity: entity.key, wanted, targets, outcomes: run.outcomes }) !== undefined
  return (
    <>
      <div role="status" className="bulk-counts">
        <p className="bulk-ready">{isUndone ? bulk.undone(done) : bulk.done(done)}</p>
        {unchanged > 0 && <p>{bulk.unchanged(unchanged)}</p>}
        {refused > 0 && <p>{bulk.notDone(refused)}</p>}
        {run.left.length > 0 && <p>{bulk.left(run.left.length)}</p>}
      </div>
      {run.error && (
        <p role="alert" className="bulk-error">
          {isLost(run.error) ? bulk.unknown : run.error.message}
        </p>
      )}
      <Rows entity={entity} phase={phase} />
      <div className="dialog-actions">
        {canUndo && <Button onClick={onUndo}>{common.undo}</Button>}
        <Button ref={focused} look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </>
  )
}

/** Whether an answer did not come, so that what it would have said is not known. */
const isLost = (error: Error): boolean => error instanceof ApiProblem && error.status === 0

const mostRows = 200
const order: readonly Outcome['status'][] = ['refused', 'done', 'unchanged']

const Rows = ({ entity, phase }: Pick<ResultProps, 'entity' | 'phase'>): ReactNode => {
  const texts = useWorkTexts().bulk
  const { run, targets } = phase
  const byStatus = Map.groupBy(run.outcomes, ({ status }) => status)
  const outcomes = order.flatMap((status) => byStatus.get(status) ?? [])
  if (outcomes.length === 0) return null
  return (
    <ScrolledBody className="bulk-rows" label={texts.rows}>
      <ul>
        {outcomes.slice(0, mostRows).map((outcome) => (
          <li key={outcome.id} data-status={outcome.status}>
            <Link to="/$entity/$id" params={{ entity: entity.key, id: `${outcome.id}` }} dir="auto">
              {targets.get(outcome.id)?.name ?? outcome.id}
            </Link>
            <span dir="auto">
              {outcome.status === 'refused'
                ? reasonOf(outcome, entity, texts)
                : texts.states[outcome.status]}
            </span>
          </li>
        ))}
      </ul>
      {outcomes.length > mostRows && <p>{texts.more(outcomes.length - mostRows)}</p>}
    </ScrolledBody>
  )
}
