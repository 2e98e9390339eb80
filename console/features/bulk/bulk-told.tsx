/** Whom a write of many records would tell, to those whom the service explains it to: of the first few records. */
import { lazy, type ReactNode, Suspense } from 'react'
import type { Entity } from '../../api/types.ts'
import { useBulkTexts } from '../../texts/bulk/texts.ts'
import { useSession } from '../session/session.ts'
import type { Run } from './chunks.ts'
import type { Operation } from './operations.ts'

const ActionTold = lazy(async () => ({
  default: (await import('../workflow/action-told.tsx')).ActionTold,
}))

type ToldProps = { readonly entity: Entity; readonly operation: Operation; readonly run: Run }

// The service explains one record at a time.
const explainedRecords = 5

/** What the rules of notifications call it; they know no changes of fields and no removals. */
const notifiedBy = (operation: Operation) => {
  if (operation.kind === 'action')
    return { operation: 'proceedToStep', action: operation.action.key } as const
  return operation.kind === 'takeOwnership' ? ({ operation: 'takeOwnership' } as const) : undefined
}

export const BulkTold = ({ entity, operation, run }: ToldProps): ReactNode => {
  const { administration } = useSession().me
  const texts = useBulkTexts()
  const notified = notifiedBy(operation)
  const ids = run.outcomes.filter(({ status }) => status === 'done').map(({ id }) => id)
  const isExplained = administration.includes('explain') && (entity.notifications ?? []).length > 0
  if (!notified || !isExplained || ids.length === 0) return null
  const first = ids.slice(0, explainedRecords)
  return (
    <Suspense>
      <ActionTold
        {...notified}
        entityKey={entity.key}
        entityIds={first}
        note={ids.length > first.length ? texts.toldOf(first.length) : undefined}
      />
    </Suspense>
  )
}
