/** Who may do what: a row for each role of an entity, or for each entity of a role. */
import type { ReactNode } from 'react'
import type { Entity, RoleRights, Scope } from '../../api/types.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { useAdminTexts } from '../../texts/admin/texts.ts'
import { nameOfKey } from '../values/format-value.ts'
import './definitions.css'

const rights = ['read', 'create', 'update', 'delete', 'takeOwnership', 'export', 'tasks'] as const

export type RightsRow = { readonly entity: Entity; readonly role: RoleRights }

type TableProps = {
  readonly label: string
  readonly rows: readonly RightsRow[]
  /** What a row is about. */
  readonly nameLabel: string
  readonly renderName: (row: RightsRow) => ReactNode
}

export const RightsTable = ({ label, rows, nameLabel, renderName }: TableProps): ReactNode => {
  const { definitions: texts } = useAdminTexts()
  const columns: readonly TableColumn<RightsRow>[] = [
    { key: 'name', label: nameLabel, render: renderName },
    ...rights.map((right) => ({
      key: right,
      label: texts.rights[right],
      render: ({ role }: RightsRow) => <ScopeMark scope={role[right]} />,
    })),
    {
      key: 'actions',
      label: texts.actions,
      isWide: true,
      render: ({ role, entity }) => (
        <span dir="auto">{actionNames(role.actions, entity).join(', ')}</span>
      ),
    },
    {
      key: 'hidden',
      label: texts.hiddenFields,
      isWide: true,
      render: ({ role, entity }) => (
        <span dir="auto">{fieldNames(role.hiddenFields, entity).join(', ')}</span>
      ),
    },
  ]
  return (
    <div className="rights-table">
      <DataTable
        {...{ label, columns, rows }}
        keyOf={({ entity, role }) => `${entity.key} ${role.key}`}
      />
    </div>
  )
}

const actionNames = (keys: readonly string[], { workflow }: Entity): readonly string[] => {
  const actions = (workflow?.steps ?? []).flatMap(({ actions: all = [] }) => all)
  return keys.map((key) => actions.find((one) => one.key === key)?.name ?? nameOfKey(key))
}

const fieldNames = (keys: readonly string[], { fields }: Entity): readonly string[] =>
  keys.map((key) => fields.find((one) => one.key === key)?.name ?? nameOfKey(key))

const ScopeMark = ({ scope }: { readonly scope: Scope }): ReactNode => {
  const { definitions: texts } = useAdminTexts()
  const text = scope === 'own' ? texts.own : scope ? texts.yes : texts.no
  return (
    <span className="rights-mark" data-scope={String(scope)}>
      {text}
    </span>
  )
}
