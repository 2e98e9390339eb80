/**
 * Whom an operation of the caller would notify, as far as the caller may know it. Rules are evaluated by the code
 * that sends; a rule that reads what the caller may not is left out, so that no answer tells what it read.
 */
import type { Caller } from '../../../auth/caller.ts'
import type { Sql } from '../../../database/sql.ts'
import { resolvePath } from '../../../definitions/association-path.ts'
import { type Entity, getEntity } from '../../../definitions/catalog.ts'
import { administratorRole } from '../../../definitions/checks/check-role.ts'
import {
  matchRules,
  type NotificationRule,
  sendsNotifications,
} from '../../../definitions/notification-matching.ts'
import { type JsonSchema, objectOf } from '../../../http/openapi/operation.ts'
import { parsedCondition } from '../../../query/conditions/decide-conditions.ts'
import { callerPathsIn, fieldsIn } from '../../../query/criteria/criteria.ts'
import { parseWhere } from '../../../query/criteria/parse-criteria.ts'
import type { ChangeMessage } from '../../../records/write/change-events.ts'
import {
  type EngineDeps,
  evaluateRules,
  listCandidates,
  type RuleMatch,
} from '../evaluate-rules.ts'
import { findWithoutEmail } from '../explain-store.ts'
import { findGroups, type Groups, type SkipReason } from '../resolve-recipients.ts'
import { namePeople } from './preview-store.ts'

/** The most people who are named; others are counted. */
export const maxNamed = 10
/** The most people who are counted. */
export const maxCounted = 1_000
// Groups of any size may be full of users who are not notified.
const maxExamined = 20_000

export type Preview = {
  readonly caller: Caller
  readonly entity: Entity
  readonly operation: string
  /** The changes that the caller would make now. */
  readonly messages: readonly ChangeMessage[]
  /** The row of a record that is not written yet. */
  readonly source?: Sql
}

export const previewRecipients = async (deps: EngineDeps, preview: Preview) => {
  const { entity, messages, source } = preview
  const tally = createTally(deps, unseenReasons(deps, preview.caller))
  let isPartial = false
  for (const { rule, concerned } of rulesOf(preview)) {
    if (!isOpenTo(deps, preview, rule)) {
      isPartial = true
      continue
    }
    const groups = await findGroups(deps.pool, rule.recipient)
    for (const match of await evaluateRules(deps, entity, rule, concerned, source))
      if (match) await tally.add(match, groups)
  }
  return {
    records: messages.length,
    ...(await describe(deps, preview, tally.told)),
    hasMore: tally.isCut(),
    isPartial,
  }
}

/** The rules that any of the changes matches, with these changes. */
const rulesOf = ({ entity: { definition }, operation, messages }: Preview) => {
  const matched = messages.map((message) => ({
    message,
    rules: sendsNotifications(definition)
      ? matchRules(definition, operation, message.action ?? undefined).map(({ rule }) => rule)
      : [],
  }))
  return [...new Set(matched.flatMap(({ rules }) => rules))].map((rule) => ({
    rule,
    concerned: matched.filter(({ rules }) => rules.includes(rule)).map(({ message }) => message),
  }))
}

/** Whether the caller may read everything that decides whom the rule notifies. */
export const isOpenTo = (
  { catalog, permissions }: EngineDeps,
  { caller, entity }: Pick<Preview, 'caller' | 'entity'>,
  { condition, recipient }: NotificationRule,
): boolean => {
  const access = permissions.accessOf(caller)
  const where = condition === undefined ? undefined : parseWhere(condition, '$where').condition
  const isRead = (start: Entity) => (path: string) => {
    const result = resolvePath(catalog, start, path, access.maySee)
    // Which of the linked records are the caller's own is not asked.
    return (
      'path' in result &&
      result.path.steps.every(
        ({ target }) => access.readScope(getEntity(catalog, target ?? '')) === 'all',
      )
    )
  }
  const people = getEntity(catalog, 'user')
  const { fields, userFields } = comparedByAction(entity, recipient.canTake)
  return (
    [...(recipient.userFields ?? []), ...fieldsIn(where), ...fields].every(isRead(entity)) &&
    (userFields.length === 0 || access.readScope(people) === 'all') &&
    userFields.every(isRead(people))
  )
}

/** What the conditions of an action compare, of the record and of each user. */
const comparedByAction = (entity: Entity, key: string | undefined) => {
  const conditions = (entity.definition.workflow?.steps ?? [])
    .flatMap(({ actions = [] }) => actions)
    .flatMap((action) =>
      action.key === key && action.condition ? [parsedCondition(action.condition)] : [],
    )
  return { fields: conditions.flatMap(fieldsIn), userFields: conditions.flatMap(callerPathsIn) }
}

/** What decides that a user is skipped, by the field of the user that it is read from. */
const reasonsByField: Readonly<Record<string, readonly SkipReason[]>> = {
  is_active: ['inactive'],
  is_blocked: ['blocked'],
  security_role_id: ['may not read the record', 'cannot take the action'],
}

const seesOfAll = (
  { catalog, permissions }: Pick<EngineDeps, 'catalog' | 'permissions'>,
  caller: Caller,
  field: string,
): boolean => {
  const people = getEntity(catalog, 'user')
  const column = people.columnsByName.get(field)
  const access = permissions.accessOf(caller)
  return column !== undefined && access.maySee(people, column) && access.readScope(people) === 'all'
}

/** Reasons that the caller may not know: who is skipped by one of them is counted, so that no number tells of it. */
const unseenReasons = (deps: EngineDeps, caller: Caller): ReadonlySet<SkipReason> =>
  new Set(
    Object.entries(reasonsByField).flatMap(([field, reasons]) =>
      seesOfAll(deps, caller, field) ? [] : reasons,
    ),
  )

/** Counts how often each user is notified, up to the limits. */
const createTally = ({ pool }: EngineDeps, unseen: ReadonlySet<SkipReason>) => {
  const told = new Map<number, number>()
  let examined = 0
  const isCut = () => told.size > maxCounted || examined > maxExamined
  const add = async (match: RuleMatch, groups: Groups) => {
    if (isCut()) return
    for await (const batch of listCandidates(pool, match, groups)) {
      examined += batch.length
      for (const { id, reason } of batch)
        if (reason === null || unseen.has(reason)) told.set(id, (told.get(id) ?? 0) + 1)
      if (isCut()) return
    }
  }
  return { told, isCut, add }
}

/** The users whose names the caller may read; undefined if not even the caller's own. */
export const namingFor = (
  { catalog, permissions }: Pick<EngineDeps, 'catalog' | 'permissions'>,
  caller: Caller,
) => {
  const access = permissions.accessOf(caller)
  const people = getEntity(catalog, 'user')
  const name = people.columnsByName.get('full_name')
  if (name === undefined || access.hides(people, name)) return undefined
  const scope = access.maySee(people, name) ? access.readScope(people) : 'none'
  return { callerId: caller.userId, scope }
}

const only = <V>(values: ReadonlyMap<number, V>, id: number): ReadonlyMap<number, V> =>
  new Map([...values].filter(([key]) => key === id))

const describe = async (
  { pool, catalog, permissions }: EngineDeps,
  { caller, entity, operation }: Preview,
  told: ReadonlyMap<number, number>,
) => {
  const ids = [...told.keys()].slice(0, maxCounted)
  if (ids.length === 0) return { count: 0, emails: 0, people: [] }
  const naming = namingFor({ catalog, permissions }, caller)
  // Who wants no e-mails is for administrators, who see what was sent; and for the user.
  const found = await findWithoutEmail(pool, { entity: entity.key, operation }, ids)
  const withoutEmail = caller.roleKey === administratorRole ? found : only(found, caller.userId)
  const mailed = ids.filter((id) => !withoutEmail.has(id)).map((id) => told.get(id) ?? 0)
  return {
    count: ids.length,
    emails: mailed.reduce((sum, count) => sum + count, 0),
    people: naming ? await namePeople(pool, ids, { ...naming, limit: maxNamed }) : [],
  }
}

/** How answers describe such users: the members `people` and `hasMore`; `more` properties of each person. */
export const peopleProperties = (more: Readonly<Record<string, JsonSchema>> = {}) => {
  const person = { id: { type: 'integer' }, full_name: { type: ['string', 'null'] }, ...more }
  return {
    people: {
      type: 'array',
      maxItems: maxNamed,
      description: 'Those of them whom you may read, you first, then by name.',
      items: objectOf(person),
    },
    hasMore: {
      type: 'boolean',
      description: `Whether there are more than were counted; at most ${maxCounted} are.`,
    },
  }
}
