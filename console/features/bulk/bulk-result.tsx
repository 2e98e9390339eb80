/** What a bulk write would do, and what it did: how many records, which, and why not the others. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { Instruction, Outcome, Target } from '../../api/bulk.ts'
import { statusOf } from '../../api/client.ts'
import { unreadCountQuery } from '../../api/record.ts'
import type { Intent } from '../../api/records/notified.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { focused } from '../../parts/focus.ts'
import { ScrolledBody } from '../../parts/sections.tsx'
import { useTexts, useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { maxIds } from '../grid/selection.ts'
import { UnitSums } from '../grid/unit-sums.tsx'
import { useReading } from '../session/session.ts'
import { RecipientsNote } from '../values/recipients-note.tsx'
import { doneIds, isUndoable, type Run } from './bulk-write.ts'
import { type NamedOperation, operationName, reasonOf } from './operations.ts'
import type { Phase } from './use-bulk.ts'
import './bulk.css'

type CheckProps = {
  readonly entity: Entity
  readonly operation: NamedOperation
  /** The operation as it is sent. */
  readonly instruction: Instruction
  readonly run: Run
  readonly targets: ReadonlyMap<number, Target>
  readonly onBack: () => void
  readonly onWrite: () => void
}

/** What the service would do: how many records it would write, and why not the others. */
export const BulkCheck = (props: CheckProps): ReactNode => {
  const { entity, operation, instruction, run, targets, onBack, onWrite } = props
  const texts = useWorkTexts().bulk
  const { done, unchanged, refused } = run.counts
  const intent = intentOf(operation, instruction, run)
  return (
    <>
      <div role="status" className="bulk-counts">
        <p className="bulk-ready">{done > 0 ? texts.ready(done) : texts.noneReady}</p>
        {done > 0 && <RecordNames names={namesOf(withStatus(run, 'done'), targets)} />}
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

/** The write as rules of notifications know it; they know no changes of fields and no removals. */
const intentOf = (
  operation: NamedOperation,
  instruction: Instruction,
  run: Run,
): Intent | undefined => {
  const entityIds = doneIds(run)
  if (entityIds.length === 0) return undefined
  if (operation.kind === 'action')
    return {
      operation: 'proceedToStep',
      action: operation.action.key,
      entityIds,
      ...('values' in instruction && instruction.values && { values: instruction.values }),
    }
  return operation.kind === 'takeOwnership' ? { operation: 'takeOwnership', entityIds } : undefined
}

/** The sum of the records that the action is taken on, if a search takes as many. */
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

type ResultProps = {
  readonly entity: Entity
  readonly phase: Extract<Phase, { kind: 'done' }>
  readonly onClose: () => void
  readonly onUndo: () => void
}

/** What became of each record, those that were not written first, and undo. */
export const BulkResult = ({ entity, phase, onClose, onUndo }: ResultProps): ReactNode => {
  const bulk = useWorkTexts().bulk
  const { common } = useTexts()
  const { run, isUndone } = phase
  const { done, unchanged, refused } = run.counts
  const unread = useUnread(entity, phase)
  const canUndo = !isUndone && isUndoable(phase)
  return (
    <>
      <div role="status" className="bulk-counts">
        <p className="bulk-ready">{isUndone ? bulk.undone(done) : bulk.done(done)}</p>
        {unread > 0 && <p>{bulk.unread(unread)}</p>}
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

/** How many of the records that were written the user may not read any more, where the role reads only some. */
const useUnread = ({ key, permissions }: Entity, { run, instruction }: ResultProps['phase']) => {
  const ids = doneIds(run)
  const isPartial = permissions.read === 'own' || permissions.conditional.includes('read')
  const enabled = isPartial && !('remove' in instruction) && ids.length > 0 && ids.length <= maxIds
  return useQuery({ ...unreadCountQuery(key, ids), enabled }).data ?? 0
}

/** Whether an answer was lost, so that its outcome is unknown. */
const isLost = (error: Error): boolean => statusOf(error) === 0

const mostRows = 200
const order: readonly Outcome['status'][] = ['refused', 'done', 'unchanged']

const Rows = ({ entity, phase }: Pick<ResultProps, 'entity' | 'phase'>): ReactNode => {
  const texts = useWorkTexts().bulk
  const { run, targets } = phase
  const outcomes = order.flatMap((status) => withStatus(run, status))
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

type ReasonsProps = {
  readonly entity: Entity
  readonly run: Run
  readonly targets: ReadonlyMap<number, Target>
}

const mostReasons = 8

const withStatus = ({ outcomes }: Run, status: Outcome['status']): readonly Outcome[] =>
  outcomes.filter((one) => one.status === status)

/** The names of records, as they were read. */
const namesOf = (outcomes: readonly Outcome[], targets: ReadonlyMap<number, Target>) =>
  outcomes.map(({ id }) => targets.get(id)?.name ?? String(id))

/** Why records are refused: each reason once, with the number and names of its records. */
const Reasons = ({ entity, run, targets }: ReasonsProps): ReactNode => {
  const texts = useWorkTexts().bulk
  const { locale } = useReading()
  const refused = withStatus(run, 'refused')
  const groups = [...Map.groupBy(refused, (outcome) => reasonOf(outcome, entity, texts))]
  const sorted = groups.toSorted(([, one], [, other]) => other.length - one.length)
  const hidden = sorted.slice(mostReasons).flatMap(([, outcomes]) => outcomes).length
  if (refused.length === 0) return null
  return (
    <ul className="bulk-reasons">
      {sorted.slice(0, mostReasons).map(([reason, outcomes]) => (
        <li key={reason}>
          <span className="bulk-number">
            {new Intl.NumberFormat(locale).format(outcomes.length)}
          </span>
          <span dir="auto">{reason}</span>
          <RecordNames names={namesOf(outcomes, targets)} />
        </li>
      ))}
      {hidden > 0 && <li>{texts.more(hidden)}</li>}
    </ul>
  )
}

const mostNames = 5

/** The first of some records by name, and the number of the others. */
export const RecordNames = ({ names }: { readonly names: readonly string[] }): ReactNode => {
  const texts = useWorkTexts().bulk
  const rest = names.length - mostNames
  return (
    <small className="record-names">
      {names.slice(0, mostNames).map((name, at) => (
        // Records may have the same name.
        // biome-ignore lint/suspicious/noArrayIndexKey: they keep their places
        <Fragment key={at}>
          {at > 0 && ', '}
          <bdi>{name}</bdi>
        </Fragment>
      ))}
      {rest > 0 && ` ${texts.more(rest)}`}
    </small>
  )
}
