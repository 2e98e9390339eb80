/** Checks what the steps of a workflow lock: fields and roles exist, and what is locked can be. */
import { didYouMean } from '../../did-you-mean.ts'
import { calculationInputs } from '../calculations/calculation-order.ts'
import { findRollup } from '../calculations/rollups.ts'
import type { Catalog, Column, Entity } from '../catalog.ts'
import type { EntityDefinition, StepLocks } from '../schemas/entity-definition.ts'
import type { AddFinding, JsonPath } from '../source-file.ts'
import { locksField } from '../step-locks.ts'
import { administratorRole } from './check-role.ts'

/** Findings at the locks of each step. */
export const checkLocks = (
  catalog: Catalog,
  entity: Entity,
  { workflow, extends: extended }: EntityDefinition,
  add: AddFinding,
): void => {
  for (const [index, { locks }] of (workflow?.steps ?? []).entries()) {
    if (!locks) continue
    const at = (...path: JsonPath) => ['workflow', 'steps', index, 'locks', ...path]
    // Their records are also written without a request for one: users at a sign-in, tasks with their record.
    if (extended === 'native') add(at(), `are not possible for the native entity ${entity.key}`)
    const roles = [administratorRole, ...catalog.roles.keys()]
    for (const [position, name] of (locks.except ?? []).entries())
      if (!roles.includes(name) && !catalog.unread?.has(`roles/${name}`))
        add(at('except', position), `there is no role "${name}"${didYouMean(name, roles)}`)
    if (locks.fields === 'all') continue
    if (locks.fields.length === 0) add(at('fields'), 'names no field: leave "locks" out')
    for (const [position, name] of locks.fields.entries()) {
      const isFirst = locks.fields.indexOf(name) === position
      const issue: LockIssue | undefined = isFirst
        ? fieldIssue(catalog, entity, locks, name)
        : { message: `"${name}" is named twice` }
      if (issue) add(at('fields', position), issue.message, issue.severity)
    }
  }
}

type LockIssue = { readonly message: string; readonly severity?: 'warning' }

const fieldIssue = (
  catalog: Catalog,
  entity: Entity,
  locks: StepLocks,
  name: string,
): LockIssue | undefined => {
  const known = [
    ...entity.definition.fields.map(({ key }) => key),
    ...(entity.hasOwner ? ['_owned_by'] : []),
  ]
  if (!known.includes(name))
    return { message: `"${name}" is not a field of ${entity.key}${didYouMean(name, known)}` }
  const target = catalog.entities.get(entity.oneToMany.get(name)?.entity ?? '')
  if (target?.isNative)
    return {
      message: `"${name}" has records of ${target.key}, which is native: their writes cannot be locked`,
    }
  const column = entity.columnsByName.get(name)
  const open = column?.isCalculated ? openInputs(catalog, entity, locks, column) : []
  return open.length === 0
    ? undefined
    : {
        message: `"${name}" is calculated, so nobody writes it, and it follows from what is not locked: lock ${open.map((key) => `"${key}"`).join(' and ')}`,
        severity: 'warning',
      }
}

/** What a calculated field follows from and is not locked; what is calculated itself follows from others. */
const openInputs = (
  catalog: Catalog,
  entity: Entity,
  locks: StepLocks,
  column: Column,
): readonly string[] => {
  const found = findRollup(catalog, entity, column)
  const keys =
    found && 'rollup' in found
      ? [found.rollup.list.key]
      : calculationInputs(catalog, { entity, column })
          .filter((one) => one.entity === entity && !one.column.isCalculated)
          .map((one) => one.column.field.key)
  return [...new Set(keys)].filter((key) => !locksField(locks, key))
}
