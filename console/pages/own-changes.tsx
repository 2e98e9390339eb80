/** What the user has changed and may undo, and what was typed and not saved. */
import type { ReactNode } from 'react'
import { OwnChangesList } from '../features/account/own-changes-list.tsx'
import { PageHeading } from '../features/session/page-title.tsx'
import { useTexts, useWorkTexts } from '../texts/texts.ts'
import './own-changes.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { forgetDraft, readDraftNames } from '../api/own/drafts.ts'
import { userKey } from '../api/queries.ts'
import { placeKey, type RecordPlace, useRecordNames } from '../api/record-names.ts'
import { useSession } from '../features/session/session.ts'
import { Button } from '../parts/button.tsx'

export const OwnChanges = (): ReactNode => {
  const { record } = useTexts()
  const texts = useWorkTexts().ownChanges
  return (
    <div className="own-changes">
      <PageHeading title={record.ownChanges} />
      <UnsavedList />
      <section aria-label={record.ownChanges}>
        <p className="own-changes-help">{texts.help}</p>
        <OwnChangesList />
      </section>
    </div>
  )
}

/** Where a draft belongs, by its name: `order/12`, `order/12 approve`, `order/new …`, `order cells`, `task`. */
type Unsaved = {
  readonly name: string
  readonly entity: string
  readonly place: RecordPlace | undefined
  readonly kind: 'fields' | 'form' | 'newRecord' | 'cells' | 'tasks'
  readonly to: string
  /** The search parameters of a new record. */
  readonly search?: { readonly values?: Readonly<Record<string, unknown>> }
}

const parseName = (name: string): Unsaved | undefined => {
  if (name === 'task') return { name, entity: '', place: undefined, kind: 'tasks', to: '/-/tasks' }
  const [, entity = '', id = '', rest = ''] =
    /^([^/ ]+)(?:\/(\d+|new))?(?: (.*))?$/.exec(name) ?? []
  if (entity === '') return undefined
  if (id === 'new') {
    const values = Object.fromEntries(JSON.parse(rest || '[]'))
    const search = Object.keys(values).length > 0 ? { values } : {}
    return { name, entity, place: undefined, kind: 'newRecord', to: `/${entity}/new`, search }
  }
  if (id === '') {
    const kind = rest === 'cells' || rest === 'cell' ? 'cells' : 'form'
    return { name, entity, place: undefined, kind, to: `/${entity}` }
  }
  const place = { entity, id: Number(id) }
  return { name, entity, place, kind: rest === '' ? 'fields' : 'form', to: `/${entity}/${id}` }
}

const useUnsaved = () => {
  const { me, entities } = useSession()
  const client = useQueryClient()
  const queryKey = [userKey, 'drafts', me.id]
  const { data = [] } = useQuery({
    queryKey,
    queryFn: () => readDraftNames(me.id),
    staleTime: 0,
    networkMode: 'always',
  })
  const all = data.flatMap((name) => parseName(name) ?? [])
  const names = useRecordNames(
    all.flatMap(({ place }) => place ?? []),
    entities,
  )
  const discard = useMutation({
    mutationFn: (name: string) => forgetDraft(me.id, name),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  })
  return { all, names, discard }
}

const UnsavedList = (): ReactNode => {
  const texts = useWorkTexts().ownChanges
  const recordPage = useWorkTexts().record
  const { entities } = useSession()
  const { all, names, discard } = useUnsaved()
  if (all.length === 0) return null
  const kinds = { ...texts, fields: recordPage.fields }
  return (
    <section aria-labelledby="unsaved">
      <h2 id="unsaved">{texts.unsaved}</h2>
      <p className="own-changes-help">{texts.unsavedHelp}</p>
      <ul className="own-changes-list">
        {all.map(({ name, entity, place, kind, to, search = {} }) => {
          const recordName = place && names?.get(placeKey(place))
          const entityName = entities.get(entity)?.name
          const label =
            recordName ||
            (place ? `${entityName ?? entity} ${place.id}` : (entityName ?? kinds[kind]))
          return (
            <li key={name} className="own-change">
              <div className="own-change-text">
                <Link to={to} search={search} dir="auto">
                  {label}
                </Link>
                <small>{kinds[kind]}</small>
              </div>
              <Button
                look="quiet"
                aria-label={texts.discard(label)}
                onClick={() => discard.mutate(name)}
              >
                {recordPage.discard}
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
