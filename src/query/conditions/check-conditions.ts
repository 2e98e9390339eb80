/** Checks every condition with the query planner: of notification rules, of actions, of permissions. */
import { nothing } from '../../database/sql.ts'
import { readsOthers } from '../../definitions/calculations/calculation-order.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding, JsonPath, SourceFile } from '../../definitions/source-file.ts'
import { ApiError, type Issue } from '../../errors.ts'
import { comparesIn, fieldsIn } from '../criteria/criteria.ts'
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
  ...outdatedByOthers(project),
]

/** Validations of values that change without a write of their record. */
const outdatedByOthers = ({ catalog, sources }: Project): Finding[] =>
  [...sources].flatMap(([key, source]) => {
    const entity = catalog.entities.get(key)
    const isOfOthers = (path: string): boolean => {
      const column = entity?.columnsByName.get(path)
      return (
        entity !== undefined && column !== undefined && readsOthers(catalog, { entity, column })
      )
    }
    return (entity?.definition.validations ?? []).flatMap(({ condition }, index) => {
      const { condition: where } = parseWhere(condition, '$where')
      const name = fieldsIn(where).find(isOfOthers)
      if (name === undefined) return []
      const message = `"${name}" follows from other records, and a change of these does not ask the validations of this one`
      return [source.finding(['validations', index, 'condition'], message)]
    })
  })

/** Conditions of writing, and validations, that compare a hidden field with one that the role may write: each try shows whether it is greater. */
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
      const mayWrite = permission.create === true || (permission.update ?? false) !== false
      const validations = mayWrite ? (entity?.definition.validations ?? []) : []
      const placed = [
        ...(['create', 'update'] as const).map(
          (right) => [['conditions', right], conditions[right]] as const,
        ),
        ...validations.map(({ condition }) => [['hiddenFields'], condition] as const),
      ]
      return placed.flatMap(([place, definition]) => {
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
          const what = place[0] === 'conditions' ? 'compares' : 'a validation compares'
          const message = `${what} "${secret}", which the role hides, with "${written}", which it may write: who tries values of the one learns the other`
          return [source.finding(['permissions', key, ...place], message, 'warning')]
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

const placesOf = ({ definition: { notifications = [], validations = [], workflow } }: Entity) => [
  ...notifications.map(({ condition }, index) => ({
    path: ['notifications', index, 'condition'],
    condition,
    namesCaller: false,
  })),
  ...validations.map(({ condition }, index) => ({
    path: ['validations', index, 'condition'],
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
        source,
        entity,
        condition,
        namesCaller: true,
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
