/** The parts of the definition of an entity: its fields, its notifications, and what roles may do. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { labelOf, nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import type { Entity, Field } from '../../api/types.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import { useConditionWords } from '../filter/condition-words.ts'
import { useSession } from '../session/session.ts'
import './administration.css'
import { useQuery } from '@tanstack/react-query'
import { documentsOfQuery } from '../../api/admin/definitions.ts'
import { RuleNotes } from './explanation.tsx'
import { RightsTable } from './role-rights.tsx'
import { whenOf } from './rule-words.ts'

// They have columns of their own, or are said by the type.
const saidElsewhere = new Set([
  ...[
    'key',
    'name',
    'description',
    'type',
    'column',
    'isSystem',
    'isCalculated',
    'calculatedFrom',
    'entity',
    'mappedBy',
    'orderBy',
  ],
  ...['precision', 'scale', 'values', 'valueNames'],
])

const typeWords = (field: Field, { definitions: texts }: AdminTexts): string => {
  const { type, precision, scale } = field
  const name = texts.types[type]
  if (precision !== undefined) return `${name} (${precision}, ${scale ?? 0})`
  return name
}

/** Each rule as a short text; one that is new in the definitions is shown by its name. `condition` is that of a rollup, in words. */
const ruleWords = (
  field: Field,
  { definitions: texts }: AdminTexts,
  condition: string | undefined,
): readonly string[] => {
  const rules = Object.entries(field).filter(
    ([key, value]) => !saidElsewhere.has(key) && value !== false && value !== null,
  )
  const words = rules.map(([key, value]) => {
    const whole = texts.fieldRules[`${key} ${value}`]
    if (whole !== undefined) return whole
    const label = texts.fieldRules[key] ?? nameOfKey(key)
    const only = key === 'rollup' && condition !== undefined ? ` ${texts.onlyIf(condition)}` : ''
    return value === true ? label : `${label}: ${printed(value)}${only}`
  })
  return [...words, ...(field.values ? [choiceWords(field, field.values)] : [])]
}

/** The values, with the names that the definition gives them. */
const choiceWords = ({ valueNames = {} }: Field, values: readonly string[]): string =>
  values
    .map((value) => (Object.hasOwn(valueNames, value) ? `${valueNames[value]} (${value})` : value))
    .join(' · ')

const printed = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  // A unit is another field of the record, a rollup one function of one path; its condition is said in words.
  if ('field' in value) return String(value.field)
  if ('format' in value) return String(value.format ?? '…')
  return Object.entries(value)
    .filter(([, path]) => typeof path === 'string')
    .map(([name, path]) => `${name}(${path})`)
    .join(', ')
}

export const FieldTable = ({ entity }: { readonly entity: Entity }): ReactNode => {
  const texts = useAdminTexts()
  return (
    <DataTable
      label={texts.definitions.fields}
      columns={columnsOf(texts, entity)}
      rows={[...entity.fields].sort((a, b) => Number(a.isSystem) - Number(b.isSystem))}
      keyOf={({ key }) => key}
    />
  )
}

const columnsOf = (texts: AdminTexts, entity: Entity): readonly TableColumn<Field>[] => {
  const { definitions } = texts
  return [
    {
      key: 'name',
      label: definitions.field,
      render: (field) => (
        <span className="admin-two">
          <span dir="auto">{labelOf(field)}</span>
          <small>
            <code>{field.key}</code>
          </small>
        </span>
      ),
    },
    { key: 'type', label: definitions.type, render: (field) => <Type field={field} /> },
    {
      key: 'rules',
      label: definitions.rules,
      isWide: true,
      render: (field) => <Rules field={field} entity={entity} />,
    },
    {
      key: 'description',
      label: definitions.description,
      isWide: true,
      render: ({ description, isSystem }) => (
        <span dir="auto">{description ?? (isSystem ? definitions.system : '')}</span>
      ),
    },
  ]
}

const Type = ({ field }: { readonly field: Field }): ReactNode => {
  const texts = useAdminTexts()
  const target = useSession().entities.get(field.entity ?? '')
  const words = typeWords(field, texts)
  if (!target) return words
  return (
    <span className="field-type">
      {words}{' '}
      <Link to="/-/admin/definitions/$entity" params={{ entity: target.key }} dir="auto">
        {target.name}
      </Link>
    </span>
  )
}

const Rules = ({ field, entity }: PartProps & { readonly field: Field }): ReactNode => {
  const texts = useAdminTexts()
  const { entities } = useSession()
  const { where, ...rollup } = field.rollup ?? {}
  const [list] = Object.values(rollup).flatMap((path) => path?.split('.')[0] ?? [])
  const counted = entities.get(entity.fields.find(({ key }) => key === list)?.entity ?? '')
  const condition = useConditionWords(counted ?? entity, where, texts.definitions.ofCaller)
  return <span dir="auto">{ruleWords(field, texts, condition).join(', ')}</span>
}

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
