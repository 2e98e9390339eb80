/** The fields of an entity with their types and rules. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Entity, Field } from '../../api/types.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { labelOf } from '../values/columns.ts'
import { ruleWords, typeWords } from './field-words.ts'
import './definitions.css'

export const FieldTable = ({ entity }: { readonly entity: Entity }): ReactNode => {
  const texts = useAdminTexts()
  return (
    <DataTable
      label={texts.definitions.fields}
      columns={columnsOf(texts)}
      rows={[...entity.fields].sort((a, b) => Number(a.isSystem) - Number(b.isSystem))}
      keyOf={({ key }) => key}
    />
  )
}

const columnsOf = (texts: AdminTexts): readonly TableColumn<Field>[] => {
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
      render: (field) => <span dir="auto">{ruleWords(field, texts).join(', ')}</span>,
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
