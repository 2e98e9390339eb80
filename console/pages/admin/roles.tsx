/** The roles of the project with how many users have each, and one of them: what it may do with each entity, and who has it. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { roleCountsQuery } from '../../api/admin/roles.ts'
import {
  RightsTable,
  type Role as RoleData,
  rightsOf,
  rolesOf,
} from '../../features/administration/role-rights.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

export const Roles = (): ReactNode => {
  const { roles: texts } = useAdminTexts()
  const { entities } = useSession()
  const counts = useQuery(roleCountsQuery)
  const known = rolesOf(entities)
  const keys = new Set(known.map(({ key }) => key))
  // Roles without a file grant nothing, but users may have them.
  const others = [...(counts.data?.keys() ?? [])]
    .filter((key) => key !== '' && !keys.has(key))
    .map((key) => ({ key, name: key }))
  const columns: readonly TableColumn<RoleData>[] = [
    {
      key: 'name',
      label: texts.role,
      render: ({ key, name }) => (
        <span className="admin-two">
          <Link to="/-/admin/roles/$role" params={{ role: key }} dir="auto">
            {name}
          </Link>
          <small>
            <code>{key}</code>
          </small>
        </span>
      ),
    },
    {
      key: 'users',
      label: texts.users,
      isNumeric: true,
      render: ({ key }) => counts.data && (counts.data.get(key) ?? 0),
    },
    {
      key: 'entities',
      label: texts.mayReach,
      isWide: true,
      render: ({ key }) => (
        <span dir="auto">
          {rightsOf(key, entities)
            .filter(({ entity }) => !entity.isNative)
            .map(({ entity }) => entity.name)
            .join(', ') || texts.nothing}
        </span>
      ),
    },
  ]
  return (
    <div className="admin-page">
      <header className="admin-head">
        <div className="admin-row">
          <PageHeading title={texts.title} />
          <Link to="/-/admin/users">{texts.allUsers}</Link>
        </div>
      </header>
      <div className="admin-body">
        <DataTable
          label={texts.title}
          columns={columns}
          rows={[...known, ...others]}
          keyOf={({ key }) => key}
        />
      </div>
    </div>
  )
}

/** One role: what it may do with each entity, and who has it. */
export const Role = (): ReactNode => {
  const { role } = useParams({ from: '/-/admin/roles/$role' })
  return <Page key={role} role={role} />
}

const Page = ({ role }: { readonly role: string }): ReactNode => {
  const { roles: texts, definitions } = useAdminTexts()
  const { entities } = useSession()
  const rows = rightsOf(role, entities)
  const name = rolesOf(entities).find(({ key }) => key === role)?.name ?? role
  return (
    <div className="admin-page">
      <header className="admin-head">
        <Link to="/-/admin/roles">{texts.all}</Link>
        <div className="admin-row">
          <PageHeading title={name} within={texts.title} />
          <code className="admin-note">{role}</code>
          <Link to="/-/admin/users" search={{ role }}>
            {texts.whoHas}
          </Link>
        </div>
      </header>
      <div className="admin-body">
        <div className="admin-panel">
          <section className="admin-stack">
            <h2>{texts.whatItMay}</h2>
            {rows.length === 0 ? (
              <p className="admin-note">{texts.grantsNothing}</p>
            ) : (
              <RightsTable
                label={texts.whatItMay}
                rows={rows}
                nameLabel={definitions.entity}
                renderName={({ entity }) => (
                  <Link
                    to="/-/admin/definitions/$entity"
                    params={{ entity: entity.key }}
                    dir="auto"
                  >
                    {entity.name}
                  </Link>
                )}
              />
            )}
            {rows.some((row) => row.role.audit) && <p>{texts.readsAudit}</p>}
          </section>
        </div>
      </div>
    </div>
  )
}
