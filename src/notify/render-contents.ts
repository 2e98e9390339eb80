/** Renders the contents of a rule's notifications for their recipients. */
import { setImmediate } from 'node:timers/promises'
import type { Person } from '../auth/caller.ts'
import type { Values } from '../auth/visibility.ts'
import { smallBatch } from '../database/batcher.ts'
import type { Queryable } from '../database/pool.ts'
import { getEntity } from '../definitions/catalog.ts'
import type { StoredContent } from '../inbox/notification.ts'
import type { Recipients } from '../inbox/store-notifications.ts'
import { isPersonal, type RenderedContent, renderContent } from './content/render-content.ts'
import type { RuleContent } from './content/rule-content.ts'
import { byId, idIn, loadPaths } from './content/template-data.ts'
import type { SendingDeps } from './notify-users.ts'
import type { RuleMatch } from './rules/evaluate-rules.ts'
import { selfFor, viewsOf } from './rules/recipient-view.ts'
import { userPaths } from './rules/rule-plan.ts'

// Thousands of templates are rendered in batches, so that other work of the process continues.
const maxTurnMs = 10

type Rendered = {
  readonly recipients: Recipients
  /** How many of the contents have a due date that is no date. */
  readonly unreadDueDates: number
}

/** One content for all, or one for each if they may read different things or are addressed by name. */
export const renderContents = (
  deps: SendingDeps,
  match: RuleMatch,
  people: readonly Person[],
): Promise<Rendered> | Rendered =>
  isPersonal(match.content) ? renderForEach(deps, match, people) : renderForAll(deps, match, people)

/** Users who were removed meanwhile have no content. */
const renderForEach = async (
  deps: SendingDeps,
  match: RuleMatch,
  people: readonly Person[],
): Promise<Rendered> => {
  const { content } = match
  const viewOf = viewsOf(deps, match)
  const byUser = new Map(people.map((person) => [person.userId, person]))
  const users = await loadRecipients(deps, content, [...byUser.keys()])
  const contents: StoredContent[] = []
  let unreadDueDates = 0
  let turnEndsAt = performance.now() + maxTurnMs
  for (const user of users) {
    const person = byUser.get(Number(user.get('id'))) ?? { userId: 0, roleKey: '' }
    const recipient = selfFor(deps, match, person, user)
    const rendered = renderContent(content, { ...viewOf(person).data, recipient }, deps)
    contents.push(rendered.content)
    if (rendered.unreadDueDate !== undefined) unreadDueDates++
    if (performance.now() < turnEndsAt) continue
    await setImmediate()
    turnEndsAt = performance.now() + maxTurnMs
  }
  return {
    recipients: { userIds: users.map((user) => Number(user.get('id'))), contents },
    unreadDueDates,
  }
}

/** A content for each group of recipients who may read the same. */
const renderForAll = (deps: SendingDeps, match: RuleMatch, people: readonly Person[]): Rendered => {
  const viewOf = viewsOf(deps, match)
  const rendered = new Map<string, RenderedContent>()
  const all = people.map((person) => {
    const { key, data } = viewOf(person)
    const content =
      rendered.get(key) ?? renderContent(match.content, { ...data, recipient: {} }, deps)
    rendered.set(key, content)
    return content
  })
  const userIds = people.map(({ userId }) => userId)
  const [first] = all
  const recipients =
    first && rendered.size === 1
      ? { userIds, content: first.content }
      : { userIds, contents: all.map(({ content }) => content) }
  const unread = all.filter(({ unreadDueDate }) => unreadDueDate !== undefined)
  return { recipients, unreadDueDates: unread.length }
}

/** What the templates say about the recipients, in the order of their ids. */
const loadRecipients = (
  { catalog, batcher, pool, timeZone }: SendingDeps,
  content: RuleContent,
  userIds: readonly number[],
): Promise<readonly Values[]> => {
  const paths = ['id', ...userPaths(catalog, 'recipient', content)]
  const entity = getEntity(catalog, 'user')
  const load = (database: Queryable, ids: readonly number[]) =>
    loadPaths(database, { catalog, entity, timeZone, paths, where: idIn(ids) })
  if (userIds.length > smallBatch) return load(pool, userIds)
  return batcher(`recipient ${paths}`, userIds, async (lists, database) => {
    const userOf = byId(await load(database, lists.flat()))
    return lists.map((ids) => ids.flatMap((id) => userOf.get(id) ?? []))
  })
}
