/** The parts of a record, of which its page shows one: its fields, and what links to it. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import type { OpenActions } from '../../api/open-actions.ts'
import { relatedQuery, type VersionedRecord } from '../../api/record.ts'
import { documentsQuery } from '../../api/records/documents.ts'
import { recordTasksQuery } from '../../api/tasks.ts'
import type { Entity } from '../../api/types.ts'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import type { Tab } from '../../parts/tab-list.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { labelOf } from '../values/columns.ts'
import { UnmetRights } from '../workflow/step-bar.tsx'
import { Fields } from './fields.tsx'
import { relatedOf, requestOf } from './related.ts'
import type { KeptRecord } from './use-kept-record.ts'

type PartProps = {
  readonly entity: Entity
  readonly id: number
  readonly edited: KeptRecord
  readonly base: VersionedRecord
  readonly rights: OpenActions
}

/** A tab and what it shows. */
type RecordPart = Tab & { readonly content: ReactNode }

export const useRecordParts = (props: PartProps): readonly RecordPart[] => {
  const recordPage = useRecordPageTexts()
  const { entities } = useSession()
  const { entity, edited, rights } = props
  const isUnsaved = edited.draft.size > 0
  return [
    {
      key: 'fields',
      label: isUnsaved ? recordPage.unsavedFields : recordPage.fields,
      content: (
        <div>
          <UnmetRights entity={entity} rights={rights.unmetRights} />
          <Fields
            entity={entity}
            edited={edited}
            entities={entities}
            mayChange={rights.may.update}
          />
        </div>
      ),
    },
    ...useRelatedParts(props),
    ...useTaskParts(props),
    ...useDocumentParts(props),
  ]
}

const RelatedTable = lazy(async () => ({
  default: (await import('./related-table.tsx')).RelatedTable,
}))

const RecordTasks = lazy(async () => ({
  default: (await import('../tasks/record-tasks.tsx')).RecordTasks,
}))

/** Only for those who may see all tasks of the record. */
const useTaskParts = ({ entity, id, rights: { may } }: PartProps): readonly RecordPart[] => {
  const texts = useTexts()
  const place = { entity: entity.key, id }
  const { data } = useQuery({ ...recordTasksQuery(place), enabled: may.tasks })
  if (!may.tasks) return []
  const content = (
    <Suspense fallback={<Waiting />}>
      <RecordTasks place={place} />
    </Suspense>
  )
  const count = data?.filter(({ is_completed }) => !is_completed).length
  return [{ key: 'tasks', label: texts.tasks.ofRecord, count, content }]
}

const DocumentsPanel = lazy(async () => ({
  default: (await import('./documents-panel.tsx')).DocumentsPanel,
}))

/** Only where there is something to print. */
const useDocumentParts = ({ entity, id }: PartProps): readonly RecordPart[] => {
  const texts = useTexts()
  const place = { entity: entity.key, id }
  const { data: documents = [], error, refetch } = useQuery(documentsQuery(place))
  const { title: label } = texts.documents
  if (error && documents.length === 0) {
    const content = <ProblemNote error={error} onRetry={() => void refetch()} />
    return [{ key: 'documents', label, content }]
  }
  if (documents.length === 0) return []
  const content = (
    <Suspense fallback={<Waiting />}>
      <DocumentsPanel {...place} documents={documents} />
    </Suspense>
  )
  return [{ key: 'documents', label, count: documents.length, content }]
}

const useRelatedParts = ({
  entity,
  id,
  rights: { mayCreate },
}: PartProps): readonly RecordPart[] => {
  const { entities } = useSession()
  const lists = relatedOf(entity, entities)
  const counts = useQueries({
    queries: lists.map((related) => relatedQuery(requestOf(related, id))),
    combine: (results) => results.map(({ data }) => data?.total),
  })
  return lists.map((related, at) => ({
    key: related.field.key,
    label: labelOf(related.field),
    count: counts[at],
    content: (
      <Suspense fallback={<Waiting />}>
        <RelatedTable related={related} id={id} mayCreate={mayCreate[related.field.key] === true} />
      </Suspense>
    ),
  }))
}
