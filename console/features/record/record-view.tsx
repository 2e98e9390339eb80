/** A record as it is read and changed, on a page of its own or beside a list of work. */
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, startTransition, useEffect, useId, useState } from 'react'
import { ApiProblem } from '../../api/client.ts'
import { actionsQuery } from '../../api/queries.ts'
import type { HistoryFilter } from '../../api/records/history.ts'
import type { Entity } from '../../api/types.ts'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { TabList, TabPanel } from '../../parts/tab-list.tsx'
import { useMedia } from '../../parts/use-media.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { FormsContext, LeaveDialog, useForms } from '../forms/open-form.tsx'
import { WayOn } from '../search/way-on.tsx'
import { StepBar } from '../workflow/step-bar.tsx'
import { RecordActions } from './record-actions.tsx'
import { RecordChanges } from './record-changes.tsx'
import { nameOf, RecordHead } from './record-head.tsx'
import { useRecordParts } from './record-parts.tsx'
import { Timeline } from './timeline.tsx'
import { useKeptRecord } from './use-kept-record.ts'
import './record-view.css'

const RemovedRecord = lazy(async () => ({
  default: (await import('./removed-record.tsx')).RemovedRecord,
}))

type ViewProps = {
  readonly entity: Entity
  readonly id: number
  /** The part that is shown; the first one for any that the record does not have. */
  readonly part: string
  readonly onPart: (part: string) => void
  /** The part that stands beside the others, where there is room and the record has it. */
  readonly beside?: string
  /** Which entries of its history are shown, where the page has a place for that. */
  readonly history?: {
    readonly filter: HistoryFilter
    readonly onFilter: (filter: HistoryFilter) => void
  }
  /** What stands beside its name. */
  readonly lead?: ReactNode
}

const isMissing = (error: Error): boolean => error instanceof ApiProblem && error.status === 404

/** Its workflow, its fields and what belongs to it, and its history. */
export const RecordView = (props: ViewProps): ReactNode => {
  const { entity, id } = props
  const edited = useKeptRecord(entity, id)
  const rights = useQuery(actionsQuery(entity.key, id))
  const { isOpen, onForm } = useForms()
  const { read, base, isGone } = edited
  // What is typed must not go with the record that it is for.
  const isHeld = isOpen || edited.draft.size > 0
  if (isGone && !isHeld)
    return (
      <Suspense fallback={<Waiting />}>
        <RemovedRecord entity={entity} id={id} error={read.error} />
      </Suspense>
    )
  const error = (base ? null : read.error) ?? (rights.data ? null : rights.error)
  if (error) return <ProblemNote error={error}>{isMissing(error) && <WayOn />}</ProblemNote>
  if (!base || !rights.data) return <Waiting />
  return (
    <FormsContext value={{ onForm, isGone }}>
      <Loaded {...props} edited={edited} base={base} rights={rights.data} />
    </FormsContext>
  )
}

type LoadedProps = ViewProps & Omit<Parameters<typeof useRecordParts>[0], 'entity' | 'id'>

const Loaded = (props: LoadedProps): ReactNode => {
  const { entity, id, base, rights, part, onPart } = props
  const { may } = rights
  const recordPage = useRecordPageTexts()
  const tabs = useId()
  const isWide = useMedia('(width >= 960px)')
  // What is being typed would be mixed with what is taken back.
  const isUndoable = may.update && props.edited.draft.size === 0
  const history = {
    key: 'history',
    label: recordPage.history,
    content: (
      <Timeline
        entity={entity}
        id={id}
        {...props.history}
        current={isUndoable ? base : undefined}
      />
    ),
  }
  const all = [...useRecordParts(props), history]
  const beside = isWide ? (all.find(({ key }) => key === props.beside) ?? history) : undefined
  const tabbed = all.filter((one) => one !== beside)
  const chosen = tabbed.find(({ key }) => key === part) ?? tabbed[0]
  if (!chosen) return null
  const name = nameOf(entity, base.record)
  return (
    <div className="record">
      <RecordHead entity={entity} record={base.record} lead={props.lead}>
        <RecordActions entity={entity} id={id} name={name} base={base} may={may} />
      </RecordHead>
      <RecordChanges entity={entity} id={id} edited={props.edited} />
      {entity.workflow && (
        <StepBar
          entity={entity}
          id={id}
          name={name}
          step={base.record._step}
          etag={base.etag}
          isUnsaved={props.edited.draft.size > 0}
          isSaving={props.edited.save.isPending}
        />
      )}
      {props.edited.draft.size > 0 && (
        <LeaveDialog isUnsaved={() => true} onDiscard={props.edited.discard} />
      )}
      <TabList
        id={tabs}
        label={recordPage.parts}
        tabs={tabbed}
        chosen={chosen.key}
        onChoose={onPart}
      />
      <div className="record-body">
        <TabPanel id={tabs} chosen={chosen.key}>
          {chosen.content}
        </TabPanel>
        {beside && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
          <aside aria-label={beside.label} data-part={beside.key} tabIndex={0}>
            {beside.key === history.key && <h2>{history.label}</h2>}
            <Later>{beside.content}</Later>
          </aside>
        )}
      </div>
    </div>
  )
}

/** What nobody looks at first: it is rendered when the page around it is shown. */
const Later = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [isDue, setIsDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setIsDue(true)))
    return () => clearTimeout(timer)
  }, [])
  return isDue && children
}
