/** Checks every condition with the query planner: of notification rules, of actions, of permissions. */
import { nothing } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding, JsonPath, SourceFile } from '../../definitions/source-file.ts'
import { ApiError, type Issue } from '../../errors.ts'
import { comparesIn } from '../criteria/criteria.ts'
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
export const checkConditions = (project: Project, timeZone: string): Finding[] => [
  ...[...entityPlaces(project), ...rolePlaces(project)].flatMap((place) =>
    issuesOf(project, place, timeZone).map((issue) =>
      place.source.finding(place.path, `${issue.path}: ${issue.message}`),
    ),
  ),
  ...toldByTries(project),
]

/** Conditions of writing that compare a hidden field with one that the role may write: each try tells whether it is greater. */
const toldByTries = ({ catalog, roleSources }: Project): Finding[] =>
  [...roleSources].flatMap(([roleKey, source]) =>
    Object.entries(catalog.roles.get(roleKey)?.permissions ?? {}).flatMap(([key, permission]) => {
      const entity = catalog.entities.get(key)
      const { conditions = {}, hiddenFields: hidden = [] } = permission
      const isWritable = (name: string) => {
        const column = entity?.columnsByName.get(name) ?? entity?.associations.get(name)
        return (
          column !== undefined && !column.isCalculated && !column.isSystem && !hidden.includes(name)
        )
      }
      return (['create', 'update'] as const).flatMap((right) => {
        const definition = conditions[right]
        const { condition } = definition
          ? parseWhere(definition, '$where', { namesCaller: true })
          : {}
        const compared = (condition ? comparesIn(condition) : []).map(({ field, reference }) =>
          reference?.of === 'record' ? [field, reference.path] : [],
        )
        return compared.flatMap((pair) => {
          const secret = pair.find((name) => hidden.includes(name))
          const written = pair.find(isWritable)
          if (secret === undefined || written === undefined) return []
          const message = `compares "${secret}", which the role hides, with "${written}", which it may write: who tries values of the one learns the other`
          return [source.finding(['permissions', key, 'conditions', right], message, 'warning')]
        })
      })
    }),
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
