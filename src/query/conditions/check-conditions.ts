/** Checks every condition with the query planner: of notification rules, of actions, of permissions. */
import { resolvePath } from '../../definitions/association-path.ts'
import { type Entity, getEntity } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding, JsonPath, SourceFile } from '../../definitions/source-file.ts'
import { ApiError, type Issue } from '../../errors.ts'
import { fullAccess } from '../access.ts'
import { type Condition, isCallerValue } from '../criteria/criteria.ts'
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
    compileConditions({ catalog, entity, timeZone, conditions: [where] })
  } catch (error) {
    if (error instanceof ApiError) return error.errors
    throw error
  }
  return callerIssues({ catalog }, entity, where)
}

/** Values of the caller that are no fields of users, or of another type than what they are compared with. */
const callerIssues = (
  project: Pick<Project, 'catalog'>,
  entity: Entity,
  condition: Condition,
): readonly Issue[] => {
  if (condition.kind === 'not') return callerIssues(project, entity, condition.condition)
  if (condition.kind !== 'compare')
    return condition.conditions.flatMap((one) => callerIssues(project, entity, one))
  const { field, value, at } = condition
  if (!isCallerValue(value)) return []
  const { catalog } = project
  const people = getEntity(catalog, 'user')
  const given = resolvePath(catalog, people, value.$caller, fullAccess.maySee)
  if ('message' in given) return [{ path: at, message: given.message }]
  const compared = resolvePath(catalog, entity, field, fullAccess.maySee)
  if ('message' in compared) return []
  const [one, other] = [given.path.column, compared.path.column]
  return one.type.cast === other.type.cast
    ? []
    : [
        {
          path: at,
          message: `"${value.$caller}" of user has the type ${one.field.type}, which cannot be compared with ${other.field.type}`,
        },
      ]
}
