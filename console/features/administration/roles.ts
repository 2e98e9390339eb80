/** The roles that the definitions know, with their permissions on each entity. */
import type { Entity } from '../../api/types.ts'
import type { RightsRow } from './rights-table.tsx'

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
