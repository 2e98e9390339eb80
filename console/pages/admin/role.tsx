/** One role: what it may do with each entity, and who has it. */
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { RightsTable, rightsOf, rolesOf } from '../../features/administration/role-rights.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

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
