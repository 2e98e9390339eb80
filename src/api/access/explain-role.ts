/**
 * Explains what a role lets a user do with one record: which permissions it grants, whether they include the record, and why not. Whether
 * they do is what the endpoints of the record themselves ask.
 */
import type { Person } from '../../auth/caller.ts'
import { noRecordRights, type RecordRight, recordRights } from '../../auth/entity-rights.ts'
import type { Permissions } from '../../auth/permissions.ts'
import { allOf } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { commentSettings } from '../../definitions/comments.ts'
import { roleNameOf } from '../../definitions/value-names.ts'
import { personalColumns } from '../../definitions/values/placeholders.ts'
import type { RecordScope } from '../../query/access.ts'
import { compileScope } from '../../query/compile-scope.ts'
import { parsedCondition } from '../../query/conditions/decide-conditions.ts'
import { findRightsOnRecord, type RightsOnRecord } from '../../records/record-rights.ts'
import { findOpenActions } from '../../workflow/action-kinds.ts'
import { type Action, actionKeys, mayTake, openActions } from '../../workflow/workflow.ts'
import {
  type AreMet,
  type Asked,
  type Criterion,
  explainCondition,
  findMet,
  metByReading,
  metByWrites,
  readRecord,
} from './explain-condition.ts'

/** Why a permission does not include the record. */
export const refusals = [
  'not granted',
  'not readable',
  'criteria not met',
  'guarded by the service',
  'locked by a step',
  'left to other users',
  'of another step',
  'form with hidden fields',
  'no step to lead to',
] as const
type Refusal = (typeof refusals)[number]

type Verdict = {
  readonly may: boolean
  readonly reason: Refusal | null
  readonly criteria: readonly Criterion[]
}

type ExplainedRight = Verdict & {
  readonly right: RecordRight
  readonly granted: boolean | 'own'
}

type ExplainedAction = Verdict & {
  readonly key: string
  readonly name: string
  readonly granted: boolean
}

export type Explaining = Asked & {
  readonly permissions: Permissions
  /** The step of the record; empty without a workflow. */
  readonly step: string
  /** The user with all roles: one of them is enough where a lock excepts it. */
  readonly holder: Person
}

/** The permissions of a role on the entity, each with what decides whether it includes the record. */
export const explainRole = async (explaining: Explaining, roleKey: string) => {
  const { catalog, permissions, entity, userId } = explaining
  const person = { userId, roleKey }
  const { may, locks, lockedRights } = await findMay(explaining, person)
  const found = { may, lockedRights }
  const { hiddenFields, readOnlyFields } = permissions.rightsOf(person, entity)
  const rights: ExplainedRight[] = []
  for (const right of recordRights)
    if (hasRight(entity, right)) rights.push(await explainRight(explaining, person, right, found))
  return {
    key: roleKey,
    name: roleNameOf(catalog, roleKey),
    rights,
    actions: await explainActions(explaining, person, may, locks.records.length > 0),
    hiddenFields: [...hiddenFields],
    readOnlyFields: [...readOnlyFields],
  }
}

/** Whether a permission means anything for the records of the entity. */
const hasRight = (entity: Entity, right: RecordRight): boolean => {
  if (right === 'takeOwnership') return entity.hasOwner
  if (right === 'purge') return !entity.isNative
  if (right === 'comments') return commentSettings(entity) !== undefined
  if (right === 'internalComments') return commentSettings(entity)?.internal === true
  return right !== 'anonymise' || personalColumns(entity).length > 0
}

type May = Readonly<Record<RecordRight, boolean>>

/** What the endpoints of the record let the user do, and what steps lock. */
type Found = Pick<RightsOnRecord, 'locks' | 'lockedRights'> & { readonly may: May }

/** What the endpoints of the record let the user do. */
export const findMay = async (explaining: Explaining, person: Person): Promise<Found> => {
  const { database, permissions, entity } = explaining
  const within = (right: RecordRight) =>
    compileScope(permissions.scopeOf(person, right, entity), entity.hasOwner, 't')
  const withinRead = (right: RecordRight) => allOf([within('read'), within(right)])
  const [read = false, exports = false, anonymise = false, purge = false] = await findMet(
    explaining,
    [within('read'), ...(['export', 'anonymise', 'purge'] as const).map(withinRead)],
  )
  if (!read)
    return { may: noRecordRights, locks: { own: undefined, records: [] }, lockedRights: [] }
  const found = await findRightsOnRecord(database, { ...explaining, caller: person })
  return { ...found, may: { ...found.may, read, export: exports, anonymise, purge } }
}

const explainRight = async (
  explaining: Explaining,
  person: Person,
  right: RecordRight,
  { may, lockedRights }: Pick<Found, 'may' | 'lockedRights'>,
): Promise<ExplainedRight> => {
  const { permissions, entity } = explaining
  const { scopes, conditions } = permissions.rightsOf(person, entity)
  const granted = scopes[right]
  const verdict = { right, granted, may: may[right] }
  if (granted === false) return { ...verdict, reason: 'not granted', criteria: [] }
  const own = granted === 'own' ? await explainOwn(explaining, person, right) : []
  const hasCondition = right === 'read' || right === 'update' || right === 'delete'
  const condition = hasCondition ? conditions[right] : undefined
  const areMet: AreMet =
    right === 'read'
      ? metByReading(explaining, permissions.accessOf(person).readScope)
      : metByWrites(explaining)
  const ofCondition = condition
    ? await explainCondition(explaining, parsedCondition(condition), areMet)
    : []
  const criteria = [...own, ...ofCondition]
  if (may[right]) return { ...verdict, reason: null, criteria }
  const isUnmet = criteria.some(({ depth, isMet }) => depth === 0 && !isMet)
  const first: Refusal = right === 'read' || may.read ? 'criteria not met' : 'not readable'
  const others = lockedRights.some((one) => one === right)
    ? 'locked by a step'
    : 'guarded by the service'
  const reason = first === 'not readable' || isUnmet ? first : others
  return { ...verdict, reason, criteria }
}

/** Whether the record is one of the user's own, or shared with them. */
const explainOwn = async (
  explaining: Explaining,
  person: Person,
  right: RecordRight,
): Promise<readonly Criterion[]> => {
  const { permissions, entity, userId } = explaining
  const whose = withoutCondition(permissions.scopeOf(person, right, entity))
  const [isMet = false] = await findMet(explaining, [compileScope(whose, entity.hasOwner, 't')])
  const paths = ['_created_by', ...(entity.hasOwner ? ['_owned_by'] : [])]
  const ofRecord = await readRecord(explaining, paths)
  const compared = { ofRecord: paths.map(ofRecord), ofUser: [{ path: 'id', value: userId }] }
  return [{ depth: 0, kind: 'own', isMet, where: null, ...compared }]
}

const withoutCondition = (scope: RecordScope): RecordScope => {
  if (typeof scope === 'string') return scope
  const { meets: _, ...whose } = scope
  return whose
}

const explainActions = async (
  explaining: Explaining,
  person: Person,
  may: May,
  isLocked: boolean,
): Promise<readonly ExplainedAction[]> => {
  const { database, permissions, entity, id, step } = explaining
  const { workflow } = entity.definition
  if (!workflow) return []
  const rights = permissions.rightsOf(person, entity)
  const here = openActions(workflow, step)
  const actions = here.filter((action) => mayTake(entity, rights, action))
  const found = await findOpenActions(database, explaining, entity, [{ id, step, actions }])
  const { open = [], unmet = [] } = found.get(id) ?? {}
  const reasonOf = (key: string, action: Action | undefined): Refusal | null => {
    if (!rights.actions.has(key)) return 'not granted'
    if (!may.read) return 'not readable'
    if (!action) return 'of another step'
    if (!actions.includes(action)) return 'form with hidden fields'
    const closed = unmet.find((one) => one.action === action)
    if (closed?.demands.some(({ notBy }) => notBy === undefined)) return 'criteria not met'
    if (closed) return 'left to other users'
    if (!open.some((one) => one.action === action)) return 'no step to lead to'
    return isLocked ? 'locked by a step' : null
  }
  const all = workflow.steps.flatMap((one) => one.actions ?? [])
  const explained: ExplainedAction[] = []
  for (const key of actionKeys(workflow)) {
    const action = here.find((one) => one.key === key)
    const name = (action ?? all.find((one) => one.key === key))?.name ?? key
    const reason = reasonOf(key, action)
    const condition = reason === 'not granted' ? undefined : action?.condition
    explained.push({
      key,
      name,
      granted: rights.actions.has(key),
      may: reason === null,
      reason,
      criteria: condition
        ? await explainCondition(explaining, parsedCondition(condition), metByWrites(explaining))
        : [],
    })
  }
  return explained
}
