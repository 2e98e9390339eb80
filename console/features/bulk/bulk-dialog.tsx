/** A bulk write: its form, what the service would do, its progress, and what became of each record. */
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { readTargets } from '../../api/bulk.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { BulkCheck } from './bulk-check.tsx'
import { BulkProgress } from './bulk-progress.tsx'
import { BulkResult } from './bulk-result.tsx'
import { OperationForm } from './operation-form.tsx'
import {
  hasForm,
  type NamedOperation,
  type Operation,
  operationName,
  wantedWithout,
} from './operations.ts'
import { type BulkOptions, useBulk } from './use-bulk.ts'
import './bulk-dialog.css'

type DialogProps = Pick<BulkOptions, 'entity' | 'onWritten'> & {
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  readonly operation: Operation
  /** Of the selected records. */
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
    if (!hasForm(operation)) bulk.check(wantedWithout(operation))
  })
  useEffect(() => start(), [])
  const name = operationName(operation, texts)
  const title = count === undefined ? name : texts.title(name, count)
  return (
    <Dialog title={title} onClose={onClose}>
      {/* It keeps what was given while the service checks: it may have to be corrected. */}
      {hasForm(operation) && (
        <div hidden={bulk.phase.kind !== 'form'}>
          <OperationForm
            entity={entity}
            operation={operation}
            isWritten={bulk.phase.kind === 'done'}
            error={bulk.phase.kind === 'form' ? bulk.phase.error : undefined}
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

/** What follows the form of an operation. */
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
          wanted={phase.wanted}
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
          onRetry={() => bulk.check(wantedWithout(operation))}
        />
      )
  }
}

type FailedProps = {
  readonly error: Error | undefined
  readonly onClose: () => void
  readonly onRetry: () => void
}

/** The service could not even try it. */
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
