/** What else a definition says: its notifications in words, its hooks, documents and exports, and who may what. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { documentsOfQuery } from '../../api/admin/definitions.ts'
import type { Entity } from '../../api/types.ts'
import { useAdminTexts } from '../../texts/texts.ts'
import { RuleNotes } from './explained-entry.tsx'
import { RightsTable } from './rights-table.tsx'
import { whenOf } from './rule-words.ts'

type PartProps = { readonly entity: Entity }

export const NotificationRules = ({ entity }: PartProps): ReactNode => {
  const texts = useAdminTexts()
  const rules = [...(entity.notifications ?? []).entries()]
  if (rules.length === 0) return <p className="admin-note">{texts.definitions.noNotifications}</p>
  return (
    <div className="admin-stack">
      <ul className="definition-rules">
        {rules.map(([index, rule]) => (
          <li key={index} className="explained">
            <h3 dir="auto">{whenOf(rule, entity, texts)}</h3>
            <RuleNotes rule={rule} entity={entity} />
            {rule.content?.title !== undefined && (
              <code className="explained-content" dir="auto">
                {rule.content.title}
              </code>
            )}
          </li>
        ))}
      </ul>
      <Link to="/-/admin/explain" search={{ entity: entity.key }}>
        {texts.definitions.tryOnRecord}
      </Link>
    </div>
  )
}

export const EntityRights = ({ entity }: PartProps): ReactNode => {
  const { definitions: texts } = useAdminTexts()
  return (
    <RightsTable
      label={texts.whoMayWhat}
      rows={(entity.roles ?? []).map((role) => ({ entity, role }))}
      nameLabel={texts.role}
      renderName={({ role }) => (
        <Link to="/-/admin/roles/$role" params={{ role: role.key }} dir="auto">
          {role.name}
        </Link>
      )}
    />
  )
}

export const HooksAndFiles = ({ entity }: PartProps): ReactNode => {
  const { definitions: texts } = useAdminTexts()
  const documents = useQuery(documentsOfQuery(entity.key))
  const columns = entity.exportSettings.columnDefs
  return (
    <div className="admin-stack">
      <h3>{texts.hooks}</h3>
      <ul className="admin-list">
        {(entity.hooks ?? []).map(({ functionName }) => (
          <li key={functionName}>
            <code>{functionName}</code>{' '}
            {functionName === '_sendNotificationHandler' && (
              <span className="admin-note">{texts.notificationHook}</span>
            )}
          </li>
        ))}
        {(entity.hooks ?? []).length === 0 && <li className="admin-note">{texts.none}</li>}
      </ul>
      <h3>{texts.documents}</h3>
      <ul className="admin-list">
        {(documents.data ?? []).map(({ id, name, code }) => (
          <li key={id}>
            <Link
              to="/$entity/$id"
              params={{ entity: 'printable_document', id: `${id}` }}
              dir="auto"
            >
              {String(name)}
            </Link>{' '}
            <code>{String(code)}</code>
          </li>
        ))}
        {documents.data?.length === 0 && <li className="admin-note">{texts.none}</li>}
      </ul>
      <h3>{texts.exportColumns}</h3>
      <ol className="definition-columns">
        {columns.map(({ field, label }) => (
          <li key={field}>
            <span dir="auto">{label}</span> <code>{field}</code>
          </li>
        ))}
      </ol>
    </div>
  )
}
