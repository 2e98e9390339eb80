/** A run of an import: how far its check is, what it will do, its faults, how far it is written, and what came of it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import {
  type ImportRun,
  importsKey,
  isGoing,
  removeRun,
  runQuery,
  startRun,
  stopRun,
} from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { TitledSection } from '../../parts/sections.tsx'
import { refreshChanged } from '../forms/undo.ts'
import { useReading, useSession } from '../session/session.ts'
import { FaultTable } from './fault-table.tsx'
import { useImportTexts } from './import-texts.ts'
import { pathLabel, pathOf } from './import-words.ts'
import { useUndoRun } from './undo-run.tsx'

type ViewProps = {
  readonly entity: Entity
  readonly id: number
  /** Back to the file and its columns. */
  readonly onLeave: () => void
}

export const RunView = ({ entity, id, onLeave }: ViewProps): ReactNode => {
  const client = useQueryClient()
  const { data: run, error, refetch } = useQuery(runQuery(id))
  const isOver = run && !isGoing(run)
  useEffect(() => {
    if (!isOver) return
    void client.invalidateQueries({ queryKey: [...importsKey, 'runs'] })
    void refreshChanged(client, entity.key)
  }, [client, entity.key, isOver])
  if (!run && error) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (!run) return <Waiting />
  return <Run entity={entity} run={run} onLeave={onLeave} />
}

type RunProps = Omit<ViewProps, 'id'> & { readonly run: ImportRun }

const Run = ({ entity, run, onLeave }: RunProps): ReactNode => {
  const texts = useImportTexts()
  const isChecked = run.state !== 'reading' && run.state !== 'checking'
  const isBegun = isChecked && run.state !== 'ready' && run.state !== 'failed'
  const acts = useActs(run)
  const undo = useUndoRun({ entity, run })
  const whole = useKeptFocus(run.state)
  return (
    <div ref={whole} tabIndex={-1}>
      <TitledSection title={texts.check.title}>
        <p dir="auto">
          {[run.file_name ?? texts.list.unnamed, texts.list.states[run.state]].join(' · ')}
        </p>
        <Found entity={entity} run={run} />
        <div role="status">
          <CheckStatus run={run} />
        </div>
        {run.state === 'checking' && <StopButton acts={acts} />}
        {run.state === 'failed' && (
          <p role="alert" className="removed-refused" dir="auto">
            {texts.check.failed} {run.error}
          </p>
        )}
        {isChecked && run.state !== 'failed' && <Counts run={run} />}
      </TitledSection>
      {isChecked && run.faulty > 0 && <FaultTable entity={entity} run={run} />}
      {isChecked && run.state !== 'failed' && (
        <TitledSection title={texts.run.title}>
          <div role="status">{isBegun && <WriteStatus run={run} />}</div>
          <Acts entity={entity} run={run} acts={acts}>
            {undo.ask}
          </Acts>
          {undo.plan}
        </TitledSection>
      )}
      {acts.error && (
        <p role="alert" className="removed-refused" dir="auto">
          {acts.error.message}
        </p>
      )}
      <Leave run={run} onLeave={onLeave} />
    </div>
  )
}

/** What had the focus goes with a state; the focus then goes to the whole. */
const useKeptFocus = (state: ImportRun['state']) => {
  const whole = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each state shows other parts
  useEffect(() => {
    if (document.activeElement === document.body) whole.current?.focus()
  }, [state])
  return whole
}

/** What each column of the file became, and what was found in it. */
const Found = ({ entity, run }: Pick<RunProps, 'entity' | 'run'>): ReactNode => {
  const { file, columns } = useImportTexts()
  const { entities } = useSession()
  const place = { entity, entities }
  return (
    <details>
      <summary>{file.notes}</summary>
      <ul dir="auto">
        {run.columns.map((column) => (
          <li key={column.head}>
            {columns.fieldOf(column.head)}: {pathLabel(pathOf(column, place), place)}
          </li>
        ))}
        {run.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  )
}

const CheckStatus = ({ run }: { readonly run: ImportRun }): ReactNode => {
  const { check } = useImportTexts()
  if (run.state === 'reading') return <Going label={check.reading(run.rows)} />
  if (run.state === 'checking') {
    const { check_step: step, check_steps: steps, done_rows: done, rows } = run
    const label = done > 0 ? check.trying(done, rows) : check.checking(step, steps)
    return <Going label={label} share={(step - 1 + done / Math.max(rows, 1)) / steps} />
  }
  return run.state === 'ready' && run.faulty === 0 && <p>{check.noFaults}</p>
}

const Going = ({
  label,
  share,
}: {
  readonly label: string
  readonly share?: number
}): ReactNode => (
  <>
    <progress aria-label={label} value={share} />
    <p>{label}</p>
  </>
)

const Counts = ({ run }: { readonly run: ImportRun }): ReactNode => {
  const texts = useImportTexts().check
  const { locale } = useReading()
  const format = new Intl.NumberFormat(locale)
  const counts = [
    [texts.rows, run.rows],
    [texts.created, run.created],
    [texts.changed, run.changed],
    [texts.unchanged, run.unchanged],
    [texts.faulty, run.faulty],
  ] as const
  return (
    <ul className="import-line" aria-label={texts.counts}>
      {counts.map(([label, count]) => (
        <li key={label}>
          <b>{format.format(count)}</b> {label}
        </li>
      ))}
    </ul>
  )
}

const WriteStatus = ({ run }: { readonly run: ImportRun }): ReactNode => {
  const texts = useImportTexts().run
  const { done_rows: done, rows, state, error, faulty } = run
  if (state === 'writing')
    return <Going label={texts.writing(done, rows)} share={rows === 0 ? 1 : done / rows} />
  if (state === 'stopped')
    return (
      <p dir="auto">
        {texts.stopped} {texts.writing(done, rows)} {error}
      </p>
    )
  return (
    state === 'done' && (
      <p>
        {texts.done} {faulty > 0 && texts.left(faulty)}
      </p>
    )
  )
}

/** What may be done with a run now. */
const useActs = (run: ImportRun) => {
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: (what: 'start' | 'stop') => (what === 'start' ? startRun(run) : stopRun(run.id)),
    onSuccess: (next) => client.setQueryData(runQuery(run.id).queryKey, next),
  })
  return { act: act.mutate, isBusy: act.isPending, error: act.error }
}

type ActsProps = Pick<RunProps, 'entity' | 'run'> & {
  readonly acts: ReturnType<typeof useActs>
  readonly children: ReactNode
}

const StopButton = ({ acts: { act, isBusy } }: Pick<ActsProps, 'acts'>): ReactNode => (
  <Button disabled={isBusy} onClick={() => act('stop')}>
    {useImportTexts().run.stop}
  </Button>
)

const Acts = ({ entity, run, acts, children }: ActsProps): ReactNode => {
  const texts = useImportTexts().run
  const { act, isBusy } = acts
  const ready = run.rows - run.done_rows - run.faulty
  return (
    <div className="import-line">
      {run.state === 'ready' && (
        <Button look="primary" disabled={isBusy || ready === 0} onClick={() => act('start')}>
          {run.faulty > 0 ? texts.startOthers(ready) : texts.start(ready)}
        </Button>
      )}
      {run.state === 'writing' && <StopButton acts={acts} />}
      {run.state === 'stopped' && (
        <Button look="primary" disabled={isBusy} onClick={() => act('start')}>
          {texts.goOn}
        </Button>
      )}
      {run.done_rows > 0 && run.state !== 'undone' && <RecordsLink entity={entity} run={run} />}
      {children}
    </div>
  )
}

/** To the records that the user has created or changed since the run has begun. */
const RecordsLink = ({ entity, run }: Pick<RunProps, 'entity' | 'run'>): ReactNode => {
  const { run: texts } = useImportTexts()
  const { me } = useSession()
  const by = run.mode === 'insert' ? 'created' : 'updated'
  const names = [`_${by}_by`, `_${by}_at`]
  if (!names.every((name) => entity.fields.some(({ column }) => column === name))) return null
  const w = { [`_${by}_by`]: { $eq: me.id }, [`_${by}_at`]: { $gte: run.created_at } }
  return (
    <Link to="/$entity" params={{ entity: entity.key }} search={{ w }} className="button">
      {texts.records}
    </Link>
  )
}

/** Away from it: what was not imported is thrown away with its rows. */
const Leave = ({ run, onLeave }: Pick<RunProps, 'run' | 'onLeave'>): ReactNode => {
  const { check, run: texts } = useImportTexts()
  const client = useQueryClient()
  const isUnused = ['reading', 'ready', 'failed'].includes(run.state) && run.done_rows === 0
  const remove = useMutation({
    mutationFn: () => removeRun(run.id),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: [...importsKey, 'runs'] })
      onLeave()
    },
  })
  if (isGoing(run) && run.state !== 'reading') return null
  return (
    <div className="import-line">
      <Button onClick={() => (isUnused ? remove.mutate() : onLeave())}>
        {isUnused ? check.change : texts.another}
      </Button>
    </div>
  )
}
