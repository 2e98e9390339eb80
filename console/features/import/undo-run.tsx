/** Undoing a whole import: first what would become of its records, then what became of them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import {
  type ImportRun,
  type ImportUndo,
  runQuery,
  undoQuery,
  undoRun,
} from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useImportTexts } from './import-texts.ts'

type Props = { readonly entity: Entity; readonly run: ImportRun }

/** Whether a run has written something that it can take back. */
const isOffered = ({ state, created, changed }: ImportRun): boolean =>
  (state === 'done' || state === 'stopped') && created + changed > 0

/** The button that asks for it, and what is shown once it was pressed; each where it is due. */
export const useUndoRun = ({ entity, run }: Props) => {
  const texts = useImportTexts().undo
  const [isAsked, setIsAsked] = useState(false)
  const isShown = run.state === 'undoing' || run.state === 'undone' || isAsked
  return {
    ask: !isShown && isOffered(run) && (
      <Button onClick={() => setIsAsked(true)}>{texts.ask}</Button>
    ),
    plan: isShown && <Plan entity={entity} run={run} onCancel={() => setIsAsked(false)} />,
  }
}

const Plan = ({ entity, run, onCancel }: Props & { readonly onCancel: () => void }): ReactNode => {
  const texts = useImportTexts().undo
  const { common } = useTexts()
  const client = useQueryClient()
  const { data: plan } = useQuery(undoQuery(run))
  const undo = useMutation({
    mutationFn: () => undoRun(run.id),
    onSuccess: (next) => client.setQueryData(runQuery(run.id).queryKey, next),
  })
  if (!plan) return null
  const rest = plan.removed + plan.taken_back
  const isGoing = run.state === 'undoing'
  return (
    <div>
      <div role="status">
        {isGoing ? (
          <>
            <progress aria-label={texts.going(rest)} />
            <p>{texts.going(rest)}</p>
          </>
        ) : (
          <Outlook run={run} plan={plan} />
        )}
      </div>
      {run.state === 'undone' && run.error !== null && <p dir="auto">{run.error}</p>}
      {!isGoing && <KeptRecords entity={entity} plan={plan} />}
      {undo.error && (
        <p role="alert" className="removed-refused" dir="auto">
          {undo.error.message}
        </p>
      )}
      {!isGoing && rest > 0 && (
        <div className="import-line">
          <Button look="danger" disabled={undo.isPending} onClick={() => undo.mutate()}>
            {texts.start(rest)}
          </Button>
          {run.state !== 'undone' && <Button onClick={onCancel}>{common.cancel}</Button>}
        </div>
      )}
    </div>
  )
}

/** What it would do, or that it is done. */
const Outlook = ({
  run,
  plan,
}: {
  readonly run: ImportRun
  readonly plan: ImportUndo
}): ReactNode => {
  const texts = useImportTexts().undo
  const { removed, taken_back: takenBack, kept } = plan
  return (
    <>
      {run.state === 'undone' && <p>{texts.done}</p>}
      {removed > 0 && <p>{texts.removes(removed)}</p>}
      {takenBack > 0 && <p>{texts.takesBack(takenBack)}</p>}
      {kept > 0 && <p>{texts.keeps(kept)}</p>}
    </>
  )
}

type KeptProps = { readonly entity: Entity; readonly plan: ImportUndo }

const KeptRecords = ({ entity, plan: { records } }: KeptProps): ReactNode => (
  <ul>
    {records.map(({ id, reason }) => (
      <li key={id} dir="auto">
        <Link to="/$entity/$id" params={{ entity: entity.key, id: `${id}` }}>
          {entity.name} {id}
        </Link>{' '}
        {reason}
      </li>
    ))}
  </ul>
)
