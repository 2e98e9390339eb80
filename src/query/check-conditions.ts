/** Checks the `condition` of every notification entry as the query planner will read it. */
import type { Entity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import type { Finding } from '../definitions/source-file.ts'
import { Fault, type Mistake } from '../errors.ts'
import { fullAccess } from './access.ts'
import { noCriteria } from './criteria.ts'
import { parseWhere } from './parse-criteria.ts'
import { planSelect } from './plan-select.ts'

/** Findings at the condition that a mistake stands in. */
export const checkConditions = (project: Project, timeZone: string): Finding[] =>
  [...project.sources].flatMap(([key, source]) => {
    const entity = project.catalog.entities.get(key)
    return (entity?.definition.notifications ?? []).flatMap((entry, index) => {
      if (!entity || entry.condition === undefined) return []
      const path = ['notifications', index, 'condition']
      return mistakesOf(project, entity, entry.condition, timeZone).map((mistake) =>
        source.finding(path, `${mistake.path}: ${mistake.message}`),
      )
    })
  })

const mistakesOf = (
  { catalog }: Project,
  entity: Entity,
  condition: unknown,
  timeZone: string,
): readonly Mistake[] => {
  const { condition: where, mistakes } = parseWhere(condition, '$where')
  if (mistakes.length > 0) return mistakes
  try {
    planSelect({
      catalog,
      entity,
      access: fullAccess,
      scope: 'all',
      criteria: { ...noCriteria, where },
      columns: [],
      page: undefined,
      timeZone,
    })
    return []
  } catch (error) {
    if (error instanceof Fault) return error.errors
    throw error
  }
}
