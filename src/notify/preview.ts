/**
 * Whom an operation of the caller would notify, as far as the caller may know it. Rules are evaluated by the code
 * that sends; a rule that reads what the caller may not is left out, so that no answer reveals what it read.
 */
import type { Caller } from '../auth/caller.ts'
import type { Sql } from '../database/sql.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { matchRules, sendsNotifications } from '../definitions/notification-matching.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'
import { type DecideDeps, decide, type MatchedUsers } from './decide.ts'
import { isOpenTo, maxCounted, maxNamed, namePeople, namingFor } from './known-people.ts'
import { findWithoutEmail, type SkipReason } from './recipients.ts'

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

export const previewRecipients = async (deps: DecideDeps, preview: Preview) => {
  const { entity, messages, source } = preview
  const tally = createTally(unseenReasons(deps, preview.caller))
  let isPartial = false
  for (const { rule, matching } of rulesOf(preview)) {
    if (!isOpenTo(deps, preview, rule)) isPartial = true
    else if (!tally.isCut()) {
      const { readUsers } = await decide(deps, { entity, rule, messages: matching, source })
      await tally.add(readUsers(deps.pool))
    }
  }
  return {
    records: messages.length,
    ...(await describe(deps, preview, tally.counts)),
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
    matching: matched.filter(({ rules }) => rules.includes(rule)).map(({ message }) => message),
  }))
}

/** What decides that a user is skipped, by the field of the user that it is read from. */
const reasonsByField: Readonly<Record<string, readonly SkipReason[]>> = {
  is_active: ['inactive'],
  is_blocked: ['blocked'],
  security_role_id: ['may not read the record', 'cannot take the action'],
}

/** Whether the caller may read the field of all users. */
const seesOfAll = (
  { catalog, permissions }: Pick<DecideDeps, 'catalog' | 'permissions'>,
  caller: Caller,
  field: string,
): boolean => {
  const users = getEntity(catalog, 'user')
  const column = users.columnsByName.get(field)
  const access = permissions.accessOf(caller)
  return column !== undefined && access.maySee(users, column) && access.readScope(users) === 'all'
}

/** Reasons that the caller may not know: users who are skipped by one of them are counted, so that no number reveals it. */
const unseenReasons = (deps: DecideDeps, caller: Caller): ReadonlySet<SkipReason> =>
  new Set(
    Object.entries(reasonsByField).flatMap(([field, reasons]) =>
      seesOfAll(deps, caller, field) ? [] : reasons,
    ),
  )

/** Counts how often each user is notified, up to the limits. */
const createTally = (unseen: ReadonlySet<SkipReason>) => {
  const counts = new Map<number, number>()
  let examined = 0
  const isCut = () => counts.size > maxCounted || examined > maxExamined
  const add = async (pages: AsyncIterable<readonly MatchedUsers[]>) => {
    for await (const page of pages) {
      for (const { id, reason } of page.flatMap(({ users }) => users)) {
        examined++
        if (reason === null || unseen.has(reason)) counts.set(id, (counts.get(id) ?? 0) + 1)
      }
      if (isCut()) return
    }
  }
  return { counts, isCut, add }
}

const only = <V>(values: ReadonlyMap<number, V>, id: number): ReadonlyMap<number, V> =>
  new Map([...values].filter(([key]) => key === id))

const describe = async (
  { pool, catalog, permissions }: DecideDeps,
  { caller, entity, operation }: Preview,
  counts: ReadonlyMap<number, number>,
) => {
  const ids = [...counts.keys()].slice(0, maxCounted)
  if (ids.length === 0) return { count: 0, emails: 0, people: [] }
  const naming = namingFor({ catalog, permissions }, caller)
  // Only administrators, who see what was sent, and the user may know who wants no e-mails.
  const found = await findWithoutEmail(pool, { entity: entity.key, operation }, ids)
  const withoutEmail = caller.roleKey === administratorRole ? found : only(found, caller.userId)
  const mailed = ids.filter((id) => !withoutEmail.has(id)).map((id) => counts.get(id) ?? 0)
  return {
    count: ids.length,
    emails: mailed.reduce((sum, count) => sum + count, 0),
    people: naming ? await namePeople(pool, ids, { ...naming, limit: maxNamed }) : [],
  }
}
