/** Checks the `condition` of every notification rule with the query planner. */
import type { Entity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import type { Finding } from '../definitions/source-file.ts'
import { ApiError, type Issue } from '../errors.ts'
import { fullAccess } from './access.ts'
import { noCriteria } from './criteria/criteria.ts'
import { parseWhere } from './criteria/parse-criteria.ts'
import { planSelect } from './plan-select.ts'

/** Findings at the condition that contains an issue. */
export const checkConditions = (project: Project, timeZone: string): Finding[] =>
  [...project.sources].flatMap(([key, source]) => {
    const entity = project.catalog.entities.get(key)
    return (entity?.definition.notifications ?? []).flatMap((entry, index) => {
      if (!entity || entry.condition === undefined) return []
      const path = ['notifications', index, 'condition']
      return issuesOf(project, entity, entry.condition, timeZone).map((issue) =>
        source.finding(path, `${issue.path}: ${issue.message}`),
      )
    })
  })

const issuesOf = (
  { catalog }: Project,
  entity: Entity,
  condition: unknown,
  timeZone: string,
): readonly Issue[] => {
  const { condition: where, issues } = parseWhere(condition, '$where')
  if (issues.length > 0) return issues
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
    if (error instanceof ApiError) return error.errors
    throw error
  }
}
