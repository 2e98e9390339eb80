/** A bulk write in a dialog: its form, what the service would do, its progress, and the result. */
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { readTargets } from '../../api/bulk.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { focused } from '../../parts/focus.ts'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { BulkCheck, BulkResult } from './bulk-result.tsx'
import { OperationForm } from './operation-form.tsx'
import {
  hasForm,
  type NamedOperation,
  type Operation,
  operationName,
  withoutForm,
} from './operations.ts'
import { type BulkOptions, type Phase, useBulk } from './use-bulk.ts'
import './bulk.css'

type DialogProps = Pick<BulkOptions, 'entity' | 'onWritten'> & {
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  readonly operation: Operation
  /** The number of selected records. */
  readonly count: number | undefined
  readonly onClose: () => void
}

export const BulkDialog = (props: DialogProps): ReactNode => {
  const texts = useWorkTexts().bulk
  const { entity, criteria, operation, count, onClose, onWritten } = props
  const bulk = useBulk({
    entity,
    onWritten,
    readTargets: (columns, signal) => readTargets(entity, { criteria, columns, signal }),
  })
  const start = useEffectEvent(() => {
    if (!hasForm(operation)) bulk.check(withoutForm(operation))
  })
  useEffect(() => start(), [])
  const name = operationName(operation, texts)
  const title = count === undefined ? name : texts.title(name, count)
  return (
    <Dialog title={title} onClose={onClose}>
      {/* The form keeps its values during the check: the user may have to correct them. */}
      {hasForm(operation) && (
        <div hidden={bulk.phase.kind !== 'form'}>
          <OperationForm
            entity={entity}
            operation={operation}
            criteria={criteria}
            isWritten={bulk.phase.kind === 'done'}
            error={(bulk.phase.kind === 'form' && bulk.phase.error) || null}
            onCancel={onClose}
            onCheck={bulk.check}
          />
        </div>
      )}
      <BulkContent bulk={bulk} entity={entity} operation={operation} onClose={onClose} />
    </Dialog>
  )
}

type ContentProps = {
  readonly bulk: ReturnType<typeof useBulk>
  readonly entity: Entity
  readonly operation: NamedOperation
  readonly onClose: () => void
}

/** What follows the form: progress, check and result. */
export const BulkContent = ({ bulk, entity, operation, onClose }: ContentProps): ReactNode => {
  const { phase } = bulk
  switch (phase.kind) {
    case 'checking':
      return <BulkProgress phase={phase} onStop={hasForm(operation) ? bulk.stop : onClose} />
    case 'writing':
      return <BulkProgress phase={phase} onStop={bulk.stop} />
    case 'checked':
      return (
        <BulkCheck
          entity={entity}
          operation={operation}
          instruction={phase.instruction}
          run={phase.run}
          targets={phase.targets}
          onBack={hasForm(operation) ? bulk.back : onClose}
          onWrite={() => bulk.write(phase)}
        />
      )
    case 'done':
      return (
        <BulkResult
          entity={entity}
          phase={phase}
          onClose={onClose}
          onUndo={() => bulk.undo(phase)}
        />
      )
    case 'form':
      return hasForm(operation) ? null : (
        <Failed
          error={phase.error}
          onClose={onClose}
          onRetry={() => bulk.check(withoutForm(operation))}
        />
      )
  }
}

type FailedProps = {
  readonly error: Error | undefined
  readonly onClose: () => void
  readonly onRetry: () => void
}

/** The service could not try the write. */
const Failed = ({ error, onClose, onRetry }: FailedProps): ReactNode => {
  const { common } = useTexts()
  if (!error) return null
  return (
    <>
      <p role="alert" className="bulk-error">
        {error.message}
      </p>
      <div className="dialog-actions">
        <Button onClick={onClose}>{common.close}</Button>
        <Button look="primary" onClick={onRetry}>
          {common.retry}
        </Button>
      </div>
    </>
  )
}

type ProgressProps = {
  readonly phase: Extract<Phase, { kind: 'checking' | 'writing' }>
  readonly onStop: () => void
}

/** How far a bulk write is; it can be stopped between two requests. */
const BulkProgress = ({ phase, onStop }: ProgressProps): ReactNode => {
  const bulk = useWorkTexts().bulk
  const { done, total } = phase
  const isStopping = phase.kind === 'writing' && phase.isStopping
  return (
    <>
      <p className="bulk-note">{phase.kind === 'checking' ? bulk.checking : bulk.stopHint}</p>
      <progress
        className="bulk-bar"
        aria-label={bulk.progress}
        // Before the first answer nothing is known.
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
