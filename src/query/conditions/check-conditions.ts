/** Checks every condition with the query planner: of notification rules, of actions, of permissions. */
import { nothing } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding, JsonPath, SourceFile } from '../../definitions/source-file.ts'
import { ApiError, type Issue } from '../../errors.ts'
import { parseWhere } from '../criteria/parse-criteria.ts'
import { compileConditions } from './compile-conditions.ts'

type Place = {
  readonly source: SourceFile
  readonly entity: Entity
  readonly path: JsonPath
  readonly condition: unknown
  /** Whether values may be those of the caller. */
  readonly namesCaller: boolean
}

/** Findings at the condition that contains an issue. */
export const checkConditions = (project: Project, timeZone: string): Finding[] =>
  [...entityPlaces(project), ...rolePlaces(project)].flatMap((place) =>
    issuesOf(project, place, timeZone).map((issue) =>
      place.source.finding(place.path, `${issue.path}: ${issue.message}`),
    ),
  )

const entityPlaces = ({ catalog, sources }: Project): readonly Place[] =>
  [...sources].flatMap(([key, source]) => {
    const entity = catalog.entities.get(key)
    if (!entity) return []
    return placesOf(entity).flatMap(({ condition, ...place }) =>
      condition === undefined ? [] : [{ ...place, source, entity, condition }],
    )
  })

const placesOf = ({ definition: { notifications = [], workflow } }: Entity) => [
  ...notifications.map(({ condition }, index) => ({
    path: ['notifications', index, 'condition'],
    condition,
    namesCaller: false,
  })),
  ...(workflow?.steps ?? []).flatMap(({ actions = [] }, step) =>
    actions.map(({ condition }, index) => ({
      path: ['workflow', 'steps', step, 'actions', index, 'condition'],
      condition,
      namesCaller: true,
    })),
  ),
]

const rolePlaces = ({ catalog, roleSources }: Project): readonly Place[] =>
  [...roleSources].flatMap(([roleKey, source]) =>
    Object.entries(catalog.roles.get(roleKey)?.permissions ?? {}).flatMap(([key, permission]) => {
      const entity = catalog.entities.get(key)
      if (!entity) return []
      return Object.entries(permission.conditions ?? {}).map(([right, condition]) => ({
        ...{ source, entity, condition, namesCaller: true },
        path: ['permissions', key, 'conditions', right],
      }))
    }),
  )

const issuesOf = (
  { catalog }: Project,
  { entity, condition, namesCaller }: Place,
  timeZone: string,
): readonly Issue[] => {
  const { condition: where, issues } = parseWhere(condition, '$where', { namesCaller })
  if (issues.length > 0 || !where) return issues
  try {
    compileConditions({ catalog, entity, timeZone, user: nothing, conditions: [where] })
    return []
  } catch (error) {
    if (error instanceof ApiError) return error.errors
    throw error
  }
}
