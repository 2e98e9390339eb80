/** The roles that the definitions know, and what each may do. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import { type RoleRecord, rolesQuery } from '../../api/admin/roles.ts'
import type { Entity, RoleRights, Scope } from '../../api/types.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { useConditionWords } from '../filter/condition-words.ts'
import { useReading, useSession } from '../session/session.ts'
import './administration.css'

const rights = [
  'read',
  'create',
  'update',
  'delete',
  'takeOwnership',
  'export',
  'import',
  'tasks',
  'comments',
  'internalComments',
  'anonymise',
  'purge',
] as const

type RightsRow = { readonly entity: Entity; readonly role: RoleRights }

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
      render: (row: RightsRow) => <RightMark {...row} right={right} />,
    })),
    {
      key: 'actions',
      label: texts.actions,
      isWide: true,
      render: ({ role, entity }) => (
        <span dir="auto">{actionNames(role.actions, entity).join(', ')}</span>
      ),
    },
    ...(['hiddenFields', 'readOnlyFields'] as const).map((list) => ({
      key: list,
      label: texts[list],
      isWide: true,
      render: ({ role, entity }: RightsRow) => (
        <span dir="auto">{fieldNames(role[list], entity).join(', ')}</span>
      ),
    })),
  ]
  return (
    <div className="rights-table">
      <DataTable
        label={label}
        columns={columns}
        rows={rows}
        keyOf={({ entity, role }) => `${entity.key} ${role.key}`}
      />
    </div>
  )
}

const actionNames = (keys: readonly string[], { workflow }: Entity): readonly string[] => {
  const actions = (workflow?.steps ?? []).flatMap(({ actions: all = [] }) => all)
  return keys.map((key) => actions.find((one) => one.key === key)?.name ?? nameOfKey(key))
}

/** The names of fields. */
export const fieldNames = (keys: readonly string[], { fields }: Entity): readonly string[] =>
  keys.map((key) => fields.find((one) => one.key === key)?.name ?? nameOfKey(key))

type MarkProps = RightsRow & { readonly right: (typeof rights)[number] }

const RightMark = ({ entity, role, right }: MarkProps): ReactNode => {
  const { definitions: texts } = useAdminTexts()
  const scope: Scope | 'history' = role[right]
  const text = scope === 'own' ? texts.own : scope ? texts.yes : texts.no
  const condition = useConditionWords(entity, role.conditions[right], texts.ofCaller)
  return (
    <span className="rights-mark" data-scope={String(scope)}>
      {text}
      {condition !== undefined && (
        <small className="admin-note" dir="auto">
          {' '}
          {texts.onlyIf(condition)}
        </small>
      )}
    </span>
  )
}

export type Role = { readonly key: string; readonly name: string }

/** Every role that may do something, in the order of the service. */
export const rolesOf = (entities: ReadonlyMap<string, Entity>): readonly Role[] => {
  const roles = new Map<string, Role>()
  for (const { roles: all = [] } of entities.values())
    for (const { key, name } of all) if (!roles.has(key)) roles.set(key, { key, name })
  return [...roles.values()]
}

/** What a role may do, by entity; those of the project first. */
export const rightsOf = (
  role: string,
  entities: ReadonlyMap<string, Entity>,
): readonly RightsRow[] =>
  [...entities.values()]
    .sort((a, b) => Number(a.isNative) - Number(b.isNative))
    .flatMap((entity) =>
      (entity.roles ?? []).filter(({ key }) => key === role).map((one) => ({ entity, role: one })),
    )

// The roles that users can have, as the page calls them.

/** By name, in the language of the user as far as the project has translations; undefined until they have come. */
export const useRoles = (): readonly RoleRecord[] | undefined => {
  const { data } = useQuery(rolesQuery)
  const { entities } = useSession()
  const { locale } = useReading()
  const names = new Map(rolesOf(entities).map(({ key, name }) => [key, name]))
  return data
    ?.map((role) => ({ ...role, name: names.get(role.key) ?? role.name }))
    .sort((one, other) => one.name.localeCompare(other.name, locale))
}
