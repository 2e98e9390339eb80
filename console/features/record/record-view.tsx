/** A record as it is read and changed, on a page of its own or next to a list of work. */

import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, startTransition, useEffect, useEffectEvent, useId, useState } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { ApiProblem, statusOf } from '../../api/client.ts'
import { isOpenTo, type OpenActions } from '../../api/open-actions.ts'
import { taskCountsQuery } from '../../api/own/task-counts.ts'
import { actionsQuery } from '../../api/queries.ts'
import { relatedQuery, unreadQuery, type VersionedRecord } from '../../api/record.ts'
import { documentsQuery } from '../../api/records/documents.ts'
import type { HistoryFilter } from '../../api/records/history.ts'
import { recordTasksQuery } from '../../api/tasks.ts'
import type { Entity, Field } from '../../api/types.ts'
import { laterPart } from '../../parts/later.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { type Tab, TabList, TabPanel } from '../../parts/tabs.tsx'
import { useMedia } from '../../parts/use-media.ts'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { commentOfHash } from '../comments/threads.ts'
import { isFileField, isUnsent } from '../files/file-values.ts'
import { FormsContext, LeaveDialog, useForms } from '../forms/open-form.tsx'
import type { LineDraft } from '../lines/line-drafts.ts'
import { relatedOf, requestOf } from '../lines/related.ts'
import { WayOn } from '../search/way-on.tsx'
import { useReading, useSession } from '../session/session.ts'
import { RecordTasks } from '../tasks/record-tasks.tsx'
import { columnOf, ownFields } from '../values/own-fields.ts'
import { LockedNote, StepBar, UnmetRights } from '../workflow/step-bar.tsx'
import { type EditedRecord, useEditedRecord } from './edited-record.ts'
import { Fields } from './fields.tsx'
import { RecordChanges } from './record-changes.tsx'
import { nameOf, RecordActions, RecordHead } from './record-head.tsx'
import { Timeline } from './timeline.tsx'
import './record.css'

const RelatedTable = laterPart(
  async () => (await import('../lines/related-table.tsx')).RelatedTable,
)

const DocumentsPanel = laterPart(async () => (await import('./documents-panel.tsx')).DocumentsPanel)

const RemovedRecord = laterPart(async () => (await import('./removed-record.tsx')).RemovedRecord)

type ViewProps = {
  readonly entity: Entity
  readonly id: number
  /** The shown part; the first one if the record has no such part. */
  readonly part: string
  readonly onPart: (part: string) => void
  /** The part next to the others, on wide screens; the history if the record has no such part. */
  readonly beside?: string
  /** The filter of the history, on pages whose address has one. */
  readonly history?: {
    readonly filter: HistoryFilter
    readonly onFilter: (filter: HistoryFilter) => void
  }
  /** Shown next to the name. */
  readonly lead?: ReactNode
}

/** Its workflow, its fields and what belongs to it, and its history. */
export const RecordView = (props: ViewProps): ReactNode => {
  const { entity, id } = props
  const edited = useEditedRecord(entity, id)
  const rights = useQuery(actionsQuery(entity.key, id))
  const { isOpen, onForm } = useForms()
  const texts = useWorkTexts().record
  const unread = useQuery(unreadQuery(entity.key, id))
  const { read, base, isGone } = edited
  const isOwnDoing = unread.data === true && unread.dataUpdatedAt > read.dataUpdatedAt
  // Typed values must not disappear with their record.
  const isHeld = isOpen || edited.draft.size > 0
  if (isGone && !isHeld && isOwnDoing)
    return (
      <EmptyNote title={texts.savedUnread} isPage>
        <p className="note-actions">
          <Link to="/$entity" params={{ entity: entity.key }} className="button" data-look="plain">
            <span dir="auto">{entity.pluralName}</span>
          </Link>
        </p>
      </EmptyNote>
    )
  if (isGone && !isHeld) return <RemovedRecord entity={entity} id={id} error={read.error} />
  const error = (base ? null : read.error) ?? (rights.data ? null : rights.error)
  if (error) return <ProblemNote error={error}>{statusOf(error) === 404 && <WayOn />}</ProblemNote>
  if (!base || !rights.data) return <Waiting />
  return (
    <FormsContext value={{ onForm, isGone }}>
      <Loaded {...props} edited={edited} base={base} rights={rights.data} />
    </FormsContext>
  )
}

type LoadedProps = ViewProps & {
  readonly edited: EditedRecord
  readonly base: VersionedRecord
  readonly rights: OpenActions
}

const Loaded = (props: LoadedProps): ReactNode => {
  const { entity, id, base, edited, rights, onPart } = props
  const recordPage = useWorkTexts().record
  const tabs = useId()
  useWayToFault(edited.save.error, props)
  const isWide = useMedia('(width >= 960px)')
  const isUnsaved = edited.draft.size > 0
  const part = commentOfHash(props.part) === undefined ? props.part : historyPart
  const parts = useRecordParts(props)
  const besideOf = (key: string | undefined) => parts.find((one) => one.key === key)
  const beside = isWide ? (besideOf(props.beside) ?? besideOf(historyPart)) : undefined
  const tabbed = parts.filter((one) => one !== beside)
  const chosen = tabbed.find(({ key }) => key === part) ?? tabbed[0]
  if (!chosen) return null
  const name = nameOf(entity, base.record)
  return (
    <div className="record">
      <RecordHead entity={entity} record={base.record} lead={props.lead}>
        <RecordActions entity={entity} id={id} name={name} base={base} may={rights.may} />
      </RecordHead>
      <RecordChanges entity={entity} id={id} edited={edited} />
      {entity.workflow && (
        <StepBar
          entity={entity}
          id={id}
          name={name}
          step={base.record._step}
          etag={base.etag}
          isUnsaved={isUnsaved}
          isSaving={edited.save.isPending}
        />
      )}
      {isUnsaved && <LeaveDialog isUnsaved={() => true} onDiscard={edited.discard} />}
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
            {beside.key === historyPart && <h2>{beside.label}</h2>}
            <Deferred>{beside.content}</Deferred>
          </aside>
        )}
      </div>
    </div>
  )
}

/** Leads to the part that has the first value which the service refused: the fields, or a list of lines. */
const useWayToFault = (
  error: Error | null,
  { part, onPart }: Pick<ViewProps, 'part' | 'onPart'>,
): void => {
  const lead = useEffectEvent(() => {
    const first =
      error instanceof ApiProblem ? error.issues.find(({ path }) => path !== '') : undefined
    const place = first && (/^(\w+)\.\w+\[/.exec(first.path)?.[1] ?? fieldsPart)
    if (place !== undefined && place !== (part || fieldsPart)) onPart(place)
  })
  useEffect(() => {
    if (error) lead()
  }, [error])
}

/** Renders its content after the page around it is shown. */
const Deferred = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [isDue, setIsDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setIsDue(true)))
    return () => clearTimeout(timer)
  }, [])
  return isDue && children
}

/** A tab and its content. */
type RecordPart = Tab & { readonly content: ReactNode }

const fieldsPart = 'fields'
const historyPart = 'history'

/** The parts of a record: its fields, what links to it, its tasks and documents, and its history. */
const useRecordParts = (props: LoadedProps): readonly RecordPart[] => {
  const { entity, id, edited, base, rights, history } = props
  const { comments, record: recordPage } = useWorkTexts()
  // Undo would mix with what is being typed.
  const current = rights.may.update && edited.draft.size === 0 ? base : undefined
  const isUnsaved = ownFields(entity).some((field) => edited.draft.has(columnOf(field)))
  return [
    {
      key: fieldsPart,
      label: isUnsaved ? recordPage.unsavedPart(recordPage.fields) : recordPage.fields,
      content: (
        <div>
          <UnmetRights entity={entity} rights={rights.unmetRights} />
          <LockedNote entity={entity} locked={rights.lockedFields} />
          <Fields
            entity={entity}
            edited={edited}
            mayChange={rights.may.update}
            locked={new Set(rights.lockedFields.map(({ key }) => key))}
          />
        </div>
      ),
    },
    ...useRelatedParts(props),
    ...useTaskParts(props),
    ...useDocumentParts(props),
    {
      key: historyPart,
      label: entity.comments ? comments.part : recordPage.history,
      content: (
        <Timeline
          entity={entity}
          id={id}
          {...history}
          current={current}
          may={rights.may}
          comment={commentOfHash(props.part)}
        />
      ),
    },
  ]
}

/** Why the record cannot be saved now, whatever part of it is shown. */
const useHeld = (
  entity: Entity,
  { draft, conflicts, isGone }: EditedRecord,
): string | undefined => {
  const { record: recordPage, files } = useWorkTexts()
  if (isGone) return recordPage.recordGone
  if (conflicts.length > 0) return recordPage.conflicts(conflicts.length)
  const isWaiting = (field: Field) => isFileField(field) && isUnsent(draft.get(columnOf(field)))
  return ownFields(entity).some(isWaiting) ? files.unsent : undefined
}

const linesIn = (draft: ReadonlyMap<string, unknown> | undefined, key: string) =>
  (draft?.get(key) ?? []) as readonly LineDraft[]

const useRelatedParts = (props: LoadedProps): readonly RecordPart[] => {
  const { entity, id, rights, edited } = props
  const { draft, save } = edited
  const recordPage = useWorkTexts().record
  const { entities } = useSession()
  const lists = relatedOf(entity, entities)
  const held = useHeld(entity, edited)
  const counts = useQueries({
    queries: lists.map((related) => relatedQuery(requestOf(related, id))),
    combine: (results) => results.map(({ data }) => data?.total),
  })
  return lists.map((related, at) => {
    const { key } = related.field
    const label = labelOf(related.field)
    const mayCreate = rights.mayCreate[key] === true
    const isTyped = related.typed.length > 0 && isOpenTo(rights, key)
    const lines = isTyped
      ? {
          lines: linesIn(draft, key),
          sent: linesIn(save.variables, key),
          onLines: (all: readonly LineDraft[]) =>
            edited.setValue(key, all.length > 0 ? all : undefined),
          error: save.error,
          isSaving: save.isPending,
          draft,
          onValue: edited.setValue,
          held,
          onSave: () => save.mutate(draft),
          onDiscard: edited.discard,
        }
      : undefined
    return {
      key,
      label: draft.has(key) ? recordPage.unsavedPart(label) : label,
      count: counts[at],
      content: <RelatedTable related={related} id={id} mayCreate={mayCreate} edited={lines} />,
    }
  })
}

/** For users who may write all tasks of the record, and those to whom some of them are assigned: the service answers them these. */
const useTaskParts = ({ entity, id, rights: { may } }: LoadedProps): readonly RecordPart[] => {
  const texts = useWorkTexts()
  const { timeZone } = useReading()
  const place = { entity: entity.key, id }
  // Those who have no tasks at all are not refused those of the record.
  const { data: own } = useQuery({ ...taskCountsQuery(timeZone), enabled: !may.tasks })
  const hasOwn = own !== undefined && own.open + own.completed > 0
  const { data } = useQuery({ ...recordTasksQuery(place), enabled: may.tasks || hasOwn })
  if (!may.tasks && !data) return []
  const count = data?.filter(({ is_completed }) => !is_completed).length
  const content = <RecordTasks place={place} mayWrite={may.tasks} />
  return [{ key: 'tasks', label: texts.tasks.ofRecord, count, content }]
}

/** Only where the record has a document, or they could not be read. */
const useDocumentParts = ({ entity, id }: LoadedProps): readonly RecordPart[] => {
  const { title: label } = useTexts().documents
  const place = { entity: entity.key, id }
  const { data: documents = [], error, refetch } = useQuery(documentsQuery(place))
  if (documents.length > 0) {
    const content = <DocumentsPanel {...place} documents={documents} />
    return [{ key: 'documents', label, count: documents.length, content }]
  }
  if (!error) return []
  const content = <ProblemNote error={error} onRetry={() => void refetch()} />
  return [{ key: 'documents', label, content }]
}
