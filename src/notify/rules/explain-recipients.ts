/** Explains whom a rule that applies notifies: who is named by what, who is skipped and why, and what they read. */
import { getEntity } from '../../definitions/catalog.ts'
import { errorText } from '../../errors.ts'
import { contentOf } from '../../inbox/notification.ts'
import { shorten } from '../../issues.ts'
import { renderContent, type TemplateData } from '../content/render-content.ts'
import { idIn, loadPaths } from '../content/template-data.ts'
import { type EngineDeps, listCandidates, type RuleMatch, withRemoved } from './evaluate-rules.ts'
import { findMemberships, findWithoutEmail } from './explain-store.ts'
import { selfFor, viewsOf } from './recipient-view.ts'
import { type Candidate, findGroups, type Groups } from './resolve-recipients.ts'
import { userPaths } from './rule-plan.ts'

/** What is asked about the recipients of a rule. */
export type AskedRecipients = {
  readonly entityId: number
  readonly operation: string
  /** Of due dates. */
  readonly language: string
  /** Only this user. */
  readonly userId: number | undefined
}

// A group may have any number of members; an explanation is read by a person.
const maxRecipients = 100

export const explainRecipients = async (
  deps: EngineDeps,
  match: RuleMatch,
  asked: AskedRecipients,
) => {
  const { pool } = deps
  const groups = await findGroups(pool, match.recipientRules.recipient)
  const { named, count } = await readNamed(deps, match, { groups, userId: asked.userId })
  const users = new Map((await loadNamed(deps, match, named)).map((user) => [user.get('id'), user]))
  const causesOf = await readCauses(deps, match, { asked, groups, named })
  const toldIds = named.filter(({ reason }) => reason === null).map(({ id }) => id)
  const kind = { entity: match.entity.key, operation: asked.operation }
  const withoutEmail = await findWithoutEmail(pool, kind, toldIds)
  const viewOf = viewsOf(deps, match)
  const recipients = named.map(({ id, reason, role }) => {
    const user = users.get(id) ?? new Map<string, unknown>()
    const base = {
      user: { id, full_name: user.get('full_name') ?? null },
      told: reason === null,
      reason,
      ...causesOf(id),
    }
    if (reason !== null) return base
    const person = { userId: id, roleKey: role ?? '' }
    const data = { ...viewOf(person).data, recipient: selfFor(deps, match, person, user) }
    const noEmail = withoutEmail.get(id) ?? null
    const email = { told: noEmail === null, reason: noEmail }
    return { ...base, email, ...tryContent(deps, { match, data, language: asked.language }) }
  })
  return { count, missingGroups: groups.missing, recipients }
}

type Naming = { readonly groups: Groups; readonly userId: number | undefined }

/** The first users whom the rule names, or the one who was asked for; and how many it names. */
const readNamed = async ({ pool }: EngineDeps, match: RuleMatch, { groups, userId }: Naming) => {
  const named: Candidate[] = []
  let count = 0
  for await (const batch of listCandidates(pool, match, groups)) {
    const wanted = userId === undefined ? batch : batch.filter(({ id }) => id === userId)
    named.push(...wanted.slice(0, maxRecipients - named.length))
    count += batch.length
  }
  return { named, count }
}

type Causes = {
  readonly asked: AskedRecipients
  readonly groups: Groups
  readonly named: readonly Candidate[]
}

/** By which of its fields and groups the rule names a user. */
const readCauses = async (
  { pool, catalog, timeZone }: EngineDeps,
  { entity, recipientRules: { recipient } }: RuleMatch,
  { asked, groups, named }: Causes,
) => {
  const paths = recipient.userFields ?? []
  const [record] = await loadPaths(pool, {
    catalog,
    entity,
    timeZone,
    where: idIn([asked.entityId]),
    paths: ['id', ...paths],
  })
  const ids = named.map(({ id }) => id)
  const memberships = await findMemberships(pool, groups.ids, ids)
  return (id: number) => ({
    fields: paths.filter((path) => record?.get(path) === id),
    groups: memberships.get(id) ?? [],
  })
}

type Shown = {
  readonly match: RuleMatch
  readonly data: TemplateData
  /** Of the due date. */
  readonly language: string
}

/** The content as the user would read it, or why its templates fail. */
const tryContent = (
  deps: Pick<EngineDeps, 'catalog' | 'timeZone'>,
  { match: { content }, data, language }: Shown,
) => {
  const { timeZone } = deps
  try {
    const { content: stored, unreadDueDate } = renderContent(content, data, deps)
    return {
      content: contentOf(stored, { language, timeZone }),
      ...(unreadDueDate !== undefined && { unread_due_date: shorten(unreadDueDate) }),
    }
  } catch (error) {
    return { fault: errorText(error) }
  }
}

/** Data about the users for the response and the templates, also of removed users. */
const loadNamed = (
  { catalog, pool, timeZone }: EngineDeps,
  { content }: RuleMatch,
  named: readonly Candidate[],
) => {
  const paths = ['id', 'full_name', ...userPaths(catalog, 'recipient', content)]
  return loadPaths(pool, {
    catalog,
    entity: getEntity(catalog, 'user'),
    where: withRemoved(idIn(named.map(({ id }) => id))),
    paths: [...new Set(paths)],
    timeZone,
  })
}
