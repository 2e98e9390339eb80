/** What the service would do: how many records it would write, and why not the others. */
import type { ReactNode } from 'react'
import type { Target, Wanted } from '../../api/bulk.ts'
import type { Intent } from '../../api/records/recipients.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { focused } from '../../parts/focused.ts'
import { useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { maxIds } from '../grid/selection.ts'
import { UnitSums } from '../grid/unit-sums.tsx'
import { RecipientsNote } from '../values/recipients-note.tsx'
import type { Run } from './chunks.ts'
import { type NamedOperation, operationName } from './operations.ts'
import { namesOf, Reasons } from './reasons.tsx'
import { RecordNames } from './record-names.tsx'

type CheckProps = {
  readonly entity: Entity
  readonly operation: NamedOperation
  /** The same as it is sent. */
  readonly wanted: Wanted
  readonly run: Run
  readonly targets: ReadonlyMap<number, Target>
  readonly onBack: () => void
  readonly onWrite: () => void
}

export const BulkCheck = (props: CheckProps): ReactNode => {
  const { entity, operation, wanted, run, targets, onBack, onWrite } = props
  const texts = useWorkTexts().bulk
  const { done, unchanged, refused } = run.counts
  const intent = intentOf(operation, wanted, run)
  return (
    <>
      <div role="status" className="bulk-counts">
        <p className="bulk-ready">{done > 0 ? texts.ready(done) : texts.noneReady}</p>
        {done > 0 && <RecordNames names={namesOf(doneIds(run), targets)} />}
      </div>
      {operation.kind === 'action' && <Amount entity={entity} run={run} />}
      {intent && <RecipientsNote entity={entity} intent={intent} />}
      <div role="status" className="bulk-counts">
        {unchanged > 0 && <p>{texts.unchanged(unchanged)}</p>}
        {refused > 0 && <p>{texts.refused(refused)}</p>}
      </div>
      <Reasons entity={entity} run={run} targets={targets} />
      <div className="dialog-actions">
        <Button ref={done > 0 ? undefined : focused} onClick={onBack}>
          {texts.back}
        </Button>
        {done > 0 && (
          <Button
            ref={focused}
            look={operation.kind === 'remove' ? 'danger' : 'primary'}
            onClick={onWrite}
          >
            <span dir="auto">{confirmation(operation, done, texts)}</span>
          </Button>
        )}
      </div>
    </>
  )
}

const doneIds = ({ outcomes }: Run): readonly number[] =>
  outcomes.filter(({ status }) => status === 'done').map(({ id }) => id)

const typedIn = (wanted: Wanted) =>
  'values' in wanted && wanted.values ? { values: wanted.values } : {}

/** What the rules of notifications call it; they know no changes of fields and no removals. */
const intentOf = (operation: NamedOperation, wanted: Wanted, run: Run): Intent | undefined => {
  const entityIds = doneIds(run)
  if (entityIds.length === 0) return undefined
  if (operation.kind === 'action')
    return {
      operation: 'proceedToStep',
      action: operation.action.key,
      entityIds,
      ...typedIn(wanted),
    }
  return operation.kind === 'takeOwnership' ? { operation: 'takeOwnership', entityIds } : undefined
}

/** What the records amount to that the action is taken on, where they are no more than a search takes. */
const Amount = ({ entity, run }: Pick<CheckProps, 'entity' | 'run'>): ReactNode => {
  const ids = doneIds(run)
  if (ids.length === 0 || ids.length > maxIds) return null
  return <UnitSums entity={entity} criteria={{ $where: { id: { $in: ids } } }} />
}

const confirmation = (
  operation: NamedOperation,
  count: number,
  texts: WorkTexts['bulk'],
): string =>
  operation.kind === 'action'
    ? texts.confirmAction(operationName(operation, texts), count)
    : texts.confirm[operation.kind](count)
