/** Checks every condition with the query planner: of notification rules, of actions, of permissions, of rollups. */
import { nothing } from '../../database/sql.ts'
import { findList, resolvePath } from '../../definitions/association-path.ts'
import { readsOthers } from '../../definitions/calculations/calculation-order.ts'
import { rollupsOf } from '../../definitions/calculations/rollups.ts'
import {
  type Catalog,
  type Column,
  type Entity,
  orderedIndexes,
} from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding, JsonPath, SourceFile } from '../../definitions/source-file.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { ApiError } from '../../errors.ts'
import type { Issue } from '../../issues.ts'
import { type Condition, comparesIn, fieldsIn, listsIn, readableIn } from '../criteria/criteria.ts'
import { parseWhere } from '../criteria/parse-criteria.ts'
import { unlockedLists } from './asked-lists.ts'
import { compileConditions } from './compile-conditions.ts'
import { comparedWithCaller } from './find-few-linked.ts'
import { rollupConditionIssues } from './rollup-condition.ts'
import { compileScopeCondition } from './scope-condition.ts'

type Place = {
  readonly source: SourceFile
  readonly entity: Entity
  readonly path: JsonPath
  readonly condition: unknown
  /** Whether values may be those of the caller. */
  readonly namesCaller: boolean
  /** Whether it decides which records a role reads. */
  readonly isOfReading?: boolean
  /** Whether it decides on a write, while what it reads is locked. */
  readonly isOfWrite: boolean
}

/** Findings at the condition that contains an issue. */
export const checkConditions = (project: Project, timeZone: string): Finding[] => [
  ...[...entityPlaces(project), ...rolePlaces(project)].flatMap((place) =>
    issuesOf(project, place, timeZone).map((issue) =>
      place.source.finding(place.path, `${issue.path}: ${issue.message}`),
    ),
  ),
  ...ofRollups(project, timeZone),
  ...followedInCircles(project),
  ...readWithoutIndex(project),
  ...toldByTries(project),
  ...outdatedByOthers(project),
]

/** Conditions of rollups ask only the record that counts. */
const ofRollups = ({ catalog, sources }: Project, timeZone: string): Finding[] =>
  [...sources].flatMap(([key, source]) => {
    const entity = catalog.entities.get(key)
    const rollups = entity ? rollupsOf(catalog, entity) : []
    return rollups.flatMap((rollup) => {
      const index = entity?.definition.fields.indexOf(rollup.column.field) ?? 0
      return rollupConditionIssues({ catalog, timeZone }, rollup).map(({ path, message }) =>
        source.finding(['fields', index, 'rollup', 'where'], `${path}: ${message}`),
      )
    })
  })

// Each asks one more record for each record.
const maxFollowed = 5

/** Conditions of reading that follow other records in a circle, too far, or to records that the role never reads. */
const followedInCircles = ({ catalog, roleSources }: Project): Finding[] =>
  [...roleSources].flatMap(([roleKey, source]) => {
    const permissions = catalog.roles.get(roleKey)?.permissions ?? {}
    /** The entities whose records the readable ones of an entity follow. */
    const followedBy = (key: string): readonly Entity[] => {
      const entity = catalog.entities.get(key)
      const { condition } = parseWhere(permissions[key]?.conditions?.read ?? {}, reading)
      return (condition ? readableIn(condition) : []).flatMap(({ field }) => {
        const result = entity && resolvePath(catalog, entity, field)
        const path = result && 'path' in result ? result.path : undefined
        return catalog.entities.get(path?.column.target ?? '') ?? []
      })
    }
    const issueOf = (key: string, before: readonly string[]): string | undefined => {
      const way = [...before, key]
      for (const { key: next } of followedBy(key)) {
        const shown = [...way, next].join(' → ')
        if (way.includes(next)) return `follows records in a circle: ${shown}`
        if (way.length > maxFollowed)
          return `follows records through more than ${maxFollowed} links: ${shown}`
        if (!(permissions[next] ?? permissions['*'])?.read)
          return `follows records of "${next}", which the role may not read, so that nothing is let through`
        const issue = issueOf(next, way)
        if (issue !== undefined) return issue
      }
      return undefined
    }
    return Object.keys(permissions).flatMap((key) => {
      const issue = issueOf(key, [])
      return issue === undefined
        ? []
        : [source.finding(['permissions', key, 'conditions', 'read'], issue)]
    })
  })

const reading = { namesCaller: true, asksReadable: true } as const

/** Fields without an index by which roles find the records that they may read. */
const readWithoutIndex = ({ catalog, roleSources }: Project): Finding[] =>
  [...roleSources].flatMap(([roleKey, source]) =>
    Object.entries(catalog.roles.get(roleKey)?.permissions ?? {}).flatMap(([key, permission]) => {
      const entity = catalog.entities.get(key)
      const { condition } = parseWhere(permission.conditions?.read ?? {}, reading)
      if (!entity || !condition) return []
      const slow = comparedWithCaller(entity, condition).filter(
        (column) => !column.isSystem && !beginsIndex(entity, [column]),
      )
      const messages = new Set([
        ...slow.map(
          ({ field }) =>
            `compares "${field.key}" of every record with the user; give the field an index`,
        ),
        ...listsWithoutIndex(catalog, entity, condition),
      ])
      return [...messages].map((message) =>
        source.finding(['permissions', key, 'conditions', 'read'], message, 'warning'),
      )
    }),
  )

const beginsIndex = (entity: Entity, columns: readonly Column[]): boolean =>
  orderedIndexes(entity).some((index) =>
    columns.every(({ name }, at) => index.columns[at] === name),
  )

/**
 * Of a list, PostgreSQL finds in one index which records it belongs to. With an index of each column alone, it reads the records of
 * every list until the page is full. With `_is_deleted` it reads the index alone, and no record.
 */
const listsWithoutIndex = (
  catalog: Catalog,
  entity: Entity,
  condition: Condition,
): readonly string[] =>
  listsIn(condition).flatMap(({ list: name, condition: within }) => {
    const list = findList(catalog, entity, name)
    if (!list) return []
    const { target, link } = list
    const compared = comparedWithCaller(target, within)
    if (compared.length === 0 || compared.some((column) => beginsIndex(target, [column, link])))
      return []
    const [{ field } = link] = compared
    const index = JSON.stringify({ fields: [field.key, link.field.key, '_is_deleted'] })
    return [
      `compares "${field.key}" of all "${name}" with the user; give "${target.key}" an index: ${index}`,
    ]
  })

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
      const { condition: where } = parseWhere(condition)
      const [list] = where ? listsIn(where) : []
      const name = list?.list ?? fieldsIn(where).find(isOfOthers)
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
      const { conditions = {}, hiddenFields: hidden = [], readOnlyFields = [] } = permission
      const unwritten = [...hidden, ...readOnlyFields]
      const isWritable = (name: string) => {
        const column = entity?.columnsByName.get(name) ?? entity?.associations.get(name)
        if (!column || column.isCalculated || column.series || column.isSystem) return false
        return !unwritten.includes(name)
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
        const { condition } = definition ? parseWhere(definition, { namesCaller: true }) : {}
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

const placesOf = ({
  definition: { notifications = [], validations = [], retention = [], workflow },
}: Entity) => [
  ...notifications.flatMap(({ condition, before }, index) =>
    Object.entries({ condition, before }).map(([name, condition]) => ({
      path: ['notifications', index, name],
      condition,
      namesCaller: false,
      isOfWrite: false,
    })),
  ),
  ...validations.map(({ condition }, index) => ({
    path: ['validations', index, 'condition'],
    condition,
    namesCaller: false,
    isOfWrite: false,
  })),
  ...retention.map(({ where }, index) => ({
    path: ['retention', index, 'where'],
    condition: where,
    namesCaller: false,
    isOfWrite: false,
  })),
  ...(workflow?.steps ?? []).flatMap(({ actions = [] }, step) =>
    actions.map(({ condition }, index) => ({
      path: ['workflow', 'steps', step, 'actions', index, 'condition'],
      condition,
      namesCaller: true,
      isOfWrite: true,
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
        isOfReading: right === 'read',
        isOfWrite: right !== 'read',
        path: ['permissions', key, 'conditions', right],
      }))
    }),
  )

const issuesOf = (
  { catalog }: Project,
  { entity, condition, namesCaller, isOfWrite, isOfReading = false }: Place,
  timeZone: string,
): readonly Issue[] => {
  const allowed = { namesCaller, asksReadable: isOfReading }
  const { condition: where, issues } = parseWhere(condition, allowed)
  if (issues.length > 0 || !where) return issues
  const checked = { catalog, entity, timeZone, user: nothing }
  try {
    if (isOfReading)
      compileScopeCondition({ ...checked, condition: where, readScope: () => 'all', alias: 't' })
    else compileConditions({ ...checked, conditions: [where] })
    const unlocked = isOfWrite ? unlockedLists(catalog, entity, where) : []
    return [
      ...unknownSteps(catalog, entity, where),
      ...unlocked.map((message) => ({ path: '$where', message })),
    ]
  } catch (error) {
    if (error instanceof ApiError) return error.errors
    throw error
  }
}

// The steps that conditions of definitions name: one that no workflow has would let nothing through, without a word.

const naming: ReadonlySet<string> = new Set(['$eq', '$ne', '$in', '$nin'])

/** An issue for each value of `_step` that is no step, also of linked records and of those of one-to-many fields. */
const unknownSteps = (catalog: Catalog, entity: Entity, condition: Condition): readonly Issue[] => [
  ...comparesIn(condition).flatMap(({ field, operator, value, reference, at }) => {
    if (reference || !naming.has(operator)) return []
    const result = resolvePath(catalog, entity, field)
    if ('message' in result || result.path.column.name !== '_step') return []
    const steps = (result.path.entity.definition.workflow?.steps ?? []).map(({ key }) => key)
    const unknown = [value].flat().find((one) => typeof one === 'string' && !steps.includes(one))
    if (typeof unknown !== 'string') return []
    const known = steps.map((step) => `"${step}"`).join(', ')
    return [{ path: at, message: `must be one of the steps ${known}${didYouMean(unknown, steps)}` }]
  }),
  ...listsIn(condition).flatMap(({ list: name, condition: within }) => {
    const list = findList(catalog, entity, name)
    return list ? unknownSteps(catalog, list.target, within) : []
  }),
]
