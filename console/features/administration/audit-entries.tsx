/** The columns of the audit: when, what, by whom, about what, and from where. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AuditEntry } from '../../api/admin/audit.ts'
import type { TableColumn } from '../../parts/data-table.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { type AdminTexts, useAdminTexts, useWorkTexts } from '../../texts/texts.ts'
import { useOperationText } from '../record/notified.tsx'
import { ChangedValues } from '../record/timeline.tsx'
import { useBrowserName } from '../session/browser-name.ts'
import { useSession } from '../session/session.ts'
import { useAuthorName } from '../session/user-names.tsx'
import { Moment } from './work-table.tsx'
import './administration.css'

/** `names` are those of the users whose records entries are about, by id. */
export const auditColumns = (
  { audit: texts, deliveries }: AdminTexts,
  names: ReadonlyMap<number, string>,
): readonly TableColumn<AuditEntry>[] => [
  { key: 'at', label: deliveries.when, render: ({ at }) => <Moment at={at} /> },
  { key: 'what', label: texts.what, isWide: true, render: (entry) => <What entry={entry} /> },
  { key: 'who', label: texts.who, render: (entry) => <Who entry={entry} /> },
  {
    key: 'about',
    label: texts.about,
    isWide: true,
    render: (entry) => <About entry={entry} names={names} />,
  },
  { key: 'origin', label: texts.origin, render: ({ address }) => <bdi>{address}</bdi> },
]

type EntryProps = { readonly entry: AuditEntry }

/** What happens to tasks and comments is called as in the history of their record. */
const useNameOfKind = (kind: string): string => {
  const { audit } = useAdminTexts()
  const { operations } = useWorkTexts().record
  const said = operations[kind] ?? kind
  return (
    (audit.kinds as Readonly<Record<string, string>>)[kind] ??
    `${said.charAt(0).toLocaleUpperCase()}${said.slice(1)}`
  )
}

const What = ({ entry }: EntryProps): ReactNode => {
  const texts = useAdminTexts()
  const { entities } = useSession()
  const entity = entities.get(entry.entity ?? '')
  const isChange = entry.changes !== null && Object.keys(entry.changes).length > 0
  const facts = useFacts(entry)
  const kind = useNameOfKind(entry.kind)
  const head = entry.times > 1 ? `${kind} (${entry.times}×)` : kind
  if (facts.every(({ value }) => value === null) && !isChange)
    return (
      <span className="admin-two">
        <span>{head}</span>
        {entry.entity !== null && entry.detail === null && entry.changes === null && (
          <small>{texts.audit.notReadable}</small>
        )}
      </span>
    )
  return (
    <details className="job-details">
      <summary>{head}</summary>
      <Facts facts={facts} />
      {isChange && entity && <Changes entry={entry} entity={entity} />}
    </details>
  )
}

type ChangesProps = EntryProps & { readonly entity: Parameters<typeof useOperationText>[0] }

/** As the page of the record shows it; of a created record its columns. */
const Changes = ({ entry, entity }: ChangesProps): ReactNode => {
  const operation = useOperationText(entity)(entry.kind, entry.action)
  const { changes, part, task_id, users, kind } = entry
  const operationOf = kind === 'create' ? 'change' : kind
  const shown = { changes: changes ?? {}, part, task_id, users, operation: operationOf }
  return (
    <>
      {entry.action && <p dir="auto">{operation}</p>}
      <ChangedValues entry={shown} entity={entity} id={entry.entity_id} />
    </>
  )
}

/** Ids in the detail, with what names them. */
const named: Readonly<Record<string, string>> = { key_id: 'key_name', to: 'to_name' }

/** What an event says, and the rest of an entry. */
const useFacts = ({ detail, session_id, user_agent, comment }: AuditEntry): readonly Fact[] => {
  const { audit: texts } = useAdminTexts()
  const words: Readonly<Record<string, string>> = { ...texts.ways, ...texts.words }
  const said = Object.entries(detail ?? {}).flatMap(([name, value]): Fact[] => {
    // Its name says more.
    if (detail?.[named[name] ?? ''] !== undefined) return []
    const label = (texts.details as Readonly<Record<string, string>>)[name] ?? name
    if (name === 'changed') return [{ label, value: <ChangedDefinitions changed={value} /> }]
    // People chose the names.
    const isName = Object.values(named).includes(name) || name === 'scope'
    return [{ label, value: isName ? String(value) : printed(value, words) }]
  })
  return [
    ...said,
    { label: texts.details.comment, value: comment },
    { label: texts.details.session, value: session_id === null ? null : String(session_id) },
    { label: texts.details.browser, value: user_agent && <Browser userAgent={user_agent} /> },
  ]
}

/** As in the list of sessions; what it says of itself can be read too. */
const Browser = ({ userAgent }: { readonly userAgent: string }): ReactNode => (
  <bdi title={userAgent}>{useBrowserName(userAgent)}</bdi>
)

const printed = (value: unknown, words: Readonly<Record<string, string>>): string => {
  // Names of columns.
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'string') return words[value] ?? value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

type Changed = {
  readonly type: string
  readonly key: string
  readonly from: string | null
  readonly to: string | null
  readonly parts: readonly string[]
}

const ChangedDefinitions = ({ changed }: { readonly changed: unknown }): ReactNode => (
  <ul className="audit-definitions">
    {(changed as readonly Changed[]).map(({ type, key, from, to, parts }) => (
      <li key={`${type} ${key}`}>
        <bdi>
          {type} {key}
        </bdi>{' '}
        <small>
          <bdi>
            {from ?? '–'} → {to ?? '–'}
          </bdi>
        </small>
        {parts.length > 0 && (
          <small>
            : <bdi>{parts.join(', ')}</bdi>
          </small>
        )}
      </li>
    ))}
  </ul>
)

const Who = ({ entry: { user, acting_user: acting, kind } }: EntryProps): ReactNode => {
  const { audit: texts } = useAdminTexts()
  const authorName = useAuthorName()
  if (user) return <bdi>{authorName(user, acting)}</bdi>
  return kind === 'refuseSignIn' ? texts.notKnown : texts.service
}

type AboutProps = EntryProps & { readonly names: ReadonlyMap<number, string> }

/** The record, or the user whom it concerns. */
const About = ({ entry, names }: AboutProps): ReactNode => {
  const { recordOf } = useAdminTexts()
  const { entities } = useSession()
  const { entity, entity_id: id, about_user: about } = entry
  const name = entities.get(entity ?? '')?.name ?? entity
  if (entity !== null && id !== null)
    return (
      <Link to="/$entity/$id" params={{ entity, id: `${id}` }} dir="auto">
        {(entity === 'user' && names.get(id)) || recordOf(name ?? entity, id)}
      </Link>
    )
  if (about)
    return (
      <Link to="/$entity/$id" params={{ entity: 'user', id: `${about.id}` }} dir="auto">
        {about.full_name ?? about.id}
      </Link>
    )
  return <bdi>{name}</bdi>
}
