/** The users whom a caller may pick: as an assignee, to link to, or to mention. */
import type { Person } from '../auth/caller.ts'
import { isHidden } from '../auth/entity-rights.ts'
import type { VisibilityDeps } from '../auth/readable-records.ts'
import { getEntity } from '../definitions/catalog.ts'
import type { RecordScope } from '../query/access.ts'

/** All users for callers who may assign tasks of some entity, otherwise those whom the caller may read. */
export const pickablePeople = (deps: VisibilityDeps, caller: Person): RecordScope =>
  mayAssign(deps, caller)
    ? 'all'
    : deps.permissions.accessOf(caller).readScope(getEntity(deps.catalog, 'user'))

const mayAssign = ({ catalog, permissions }: VisibilityDeps, caller: Person): boolean => {
  const task = getEntity(catalog, 'task')
  const assignee = task.columnsByName.get('assigne_id')
  if (!assignee || isHidden(permissions.rightsOf(caller, task), assignee)) return false
  return [...catalog.entities.values()].some((entity) =>
    (['read', 'tasks'] as const).every(
      (right) => permissions.scopeOf(caller, right, entity) !== 'none',
    ),
  )
}
