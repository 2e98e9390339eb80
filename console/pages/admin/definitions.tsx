/** The entities of the project, each with its definition. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

export const Definitions = (): ReactNode => {
  const texts = useAdminTexts()
  const { entities } = useSession()
  const own = [...entities.values()].sort((a, b) => Number(a.isNative) - Number(b.isNative))
  return (
    <div className="admin-page">
      <header className="admin-head">
        <PageHeading title={texts.definitions.title} />
      </header>
      <div className="admin-body">
        <DataTable
          label={texts.definitions.title}
          columns={columnsOf(texts)}
          rows={own}
          keyOf={({ key }) => key}
        />
      </div>
    </div>
  )
}

const columnsOf = ({ definitions: texts }: AdminTexts): readonly TableColumn<Entity>[] => [
  {
    key: 'name',
    label: texts.entity,
    render: ({ key, name }) => (
      <span className="admin-two">
        <Link to="/-/admin/definitions/$entity" params={{ entity: key }} dir="auto">
          {name}
        </Link>
        <small>
          <code>{key}</code>
        </small>
      </span>
    ),
  },
  {
    key: 'fields',
    label: texts.fields,
    isNumeric: true,
    render: ({ fields }) => fields.filter(({ isSystem }) => !isSystem).length,
  },
  {
    key: 'steps',
    label: texts.steps,
    isNumeric: true,
    render: ({ workflow }) => workflow?.steps.length ?? null,
  },
  {
    key: 'notifications',
    label: texts.notifications,
    isNumeric: true,
    render: ({ notifications = [] }) => notifications.length || null,
  },
  {
    key: 'description',
    label: texts.description,
    isWide: true,
    render: ({ description, isNative }) => (
      <span dir="auto">{description ?? (isNative ? texts.native : '')}</span>
    ),
  },
]
