/** The entities of the project, and the definition of each: fields, workflow, notifications, and who may do what. */
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import type { Entity } from '../../api/types.ts'
import {
  EntityRights,
  FieldTable,
  HooksAndFiles,
  NotificationRules,
} from '../../features/administration/definition-parts.tsx'
import { WorkflowView } from '../../features/administration/workflow-view.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { ScrolledBody } from '../../parts/sections.tsx'
import { TabList, TabPanel } from '../../parts/tabs.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import { NotFound } from '../not-found.tsx'
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

/** One definition: fields, workflow, notifications, and who may do what. */
export const Definition = (): ReactNode => {
  const { entity: key } = useParams({ from: '/-/admin/definitions/$entity' })
  const entity = useSession().entities.get(key)
  return entity ? <Page key={key} entity={entity} /> : <NotFound />
}

type PartProps = { readonly entity: Entity }

const partsOf = (
  entity: Entity,
  { definitions: texts }: AdminTexts,
): readonly { readonly key: string; readonly label: string; readonly content: ReactNode }[] => [
  { key: 'fields', label: texts.fields, content: <FieldTable entity={entity} /> },
  { key: 'workflow', label: texts.workflow, content: <WorkflowView entity={entity} /> },
  {
    key: 'notifications',
    label: texts.notifications,
    content: <NotificationRules entity={entity} />,
  },
  { key: 'rights', label: texts.whoMayWhat, content: <EntityRights entity={entity} /> },
  { key: 'files', label: texts.hooksAndFiles, content: <HooksAndFiles entity={entity} /> },
]

const Page = ({ entity }: PartProps): ReactNode => {
  const texts = useAdminTexts()
  const tabs = useId()
  const { part } = useSearch({ from: '/-/admin/definitions/$entity' })
  const navigate = useNavigate({ from: '/-/admin/definitions/$entity' })
  const parts = partsOf(entity, texts)
  const chosen = parts.find(({ key }) => key === part) ?? parts[0]
  if (!chosen) return null
  return (
    <div className="admin-page">
      <header className="admin-head">
        <Link to="/-/admin/definitions">{texts.definitions.all}</Link>
        <div className="admin-row">
          <PageHeading title={entity.name} within={texts.definitions.title} />
          <code className="admin-note">{entity.key}</code>
          <Link to="/$entity" params={{ entity: entity.key }}>
            {texts.definitions.openList}
          </Link>
        </div>
        {entity.description !== null && (
          <p className="admin-note" dir="auto">
            {entity.description}
          </p>
        )}
      </header>
      <TabList
        id={tabs}
        label={texts.definitions.title}
        tabs={parts}
        chosen={chosen.key}
        onChoose={(key) => void navigate({ search: { part: key }, replace: true })}
      />
      <ScrolledBody className="admin-body" label={chosen.label}>
        <TabPanel id={tabs} chosen={chosen.key}>
          <div className="admin-panel">
            <h2 className="visually-hidden">{chosen.label}</h2>
            {chosen.content}
          </div>
        </TabPanel>
      </ScrolledBody>
    </div>
  )
}
