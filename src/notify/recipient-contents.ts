/** The contents of a rule's notifications for its recipients, each with what that recipient may read. */
import { setImmediate } from 'node:timers/promises'
import type { VisibilityDeps } from '../auth/readable-records.ts'
import { mayReadSelf, onlyPaths, type Values } from '../auth/readable-values.ts'
import { getEntity } from '../definitions/catalog.ts'
import type { StoredContent } from '../inbox/notification.ts'
import type { Recipients } from '../inbox/store-notifications.ts'
import { type EventReader, readerOf } from '../outbox/events/notification-event.ts'
import { choiceNamesOf, printableRecord } from '../outbox/events/printable-record.ts'
import type { Condition } from '../query/criteria/criteria.ts'
import { isPersonal, type RenderedContent, renderContent, type TemplateData } from './content.ts'
import { type DecideDeps, type RuleMatch, userPaths } from './decide.ts'
import { byId, idIn, loadPaths, nest } from './template-data.ts'

// Thousands of templates are rendered in turns, so that other work of the process continues.
const maxTurnMs = 10

/** The recipients of one change. */
export type MatchedPersons = { readonly match: RuleMatch; readonly persons: readonly EventReader[] }

type RecipientContents = {
  readonly match: RuleMatch
  readonly recipients: Recipients
  /** How many of the contents have a due date that is no date. */
  readonly unreadDueDates: number
}

/** The contents for the recipients of changes that match the same rule, in the order of the changes. */
export const renderForAll = async (
  deps: DecideDeps,
  matched: readonly MatchedPersons[],
): Promise<RecipientContents[]> => {
  const content = matched[0]?.match.content
  const ids = matched.flatMap(({ persons }) => persons.map(({ userId }) => userId))
  const users = content && isPersonal(content) && byId(await loadUsers(deps, content, idIn(ids)))
  let turnEndsAt = performance.now() + maxTurnMs
  const all: RecipientContents[] = []
  for (const { match, persons } of matched) {
    const render = createRenderer(deps, match)
    const userIds: number[] = []
    const contents: StoredContent[] = []
    let unreadDueDates = 0
    for (const person of persons) {
      const user = users ? users.get(person.userId) : noValues
      // The user was removed meanwhile.
      if (!user) continue
      const rendered = render(person, user)
      userIds.push(person.userId)
      contents.push(rendered.content)
      if (rendered.unreadDueDate !== undefined) unreadDueDates++
      if (performance.now() < turnEndsAt) continue
      await setImmediate()
      turnEndsAt = performance.now() + maxTurnMs
    }
    const [first] = contents
    const isSame = first && contents.every((one) => one === first)
    const recipients = isSame ? { userIds, content: first } : { userIds, contents }
    all.push({ match, recipients, unreadDueDates })
  }
  return all
}

const noValues: Values = new Map()

/** The fields of users that the templates of a rule name, and `fields`. */
export const loadUsers = (
  { pool, catalog, timeZone }: DecideDeps,
  content: RuleMatch['content'],
  where: Condition,
  fields: readonly string[] = [],
): Promise<Values[]> =>
  loadPaths(pool, {
    catalog,
    entity: getEntity(catalog, 'user'),
    timeZone,
    where,
    paths: ['id', ...fields, ...userPaths(catalog, 'recipient', content)],
  })

/** Renders the content for one recipient after another: once for all who may read the same, unless it names the recipient. */
export const createRenderer = (
  deps: DecideDeps,
  match: RuleMatch,
): ((person: EventReader, user: Values) => RenderedContent) => {
  const { showsHidden } = match.visibility
  const isShared = !isPersonal(match.content)
  const views = new Map<string, View>()
  const rendered = new Map<string, RenderedContent>()
  return (person, user) => {
    const key = showsHidden ? '' : viewKey(person, match.actor.get('id'))
    const shared = rendered.get(key)
    if (shared) return shared
    const view = views.get(key) ?? viewFor(deps, match, person)
    views.set(key, view)
    const recipient = selfFor(deps, match, person, user)
    const content = renderContent(match.content, { ...view, recipient }, deps)
    if (isShared) rendered.set(key, content)
    return content
  }
}

/** What distinguishes the views of two users: their role, what they may read of the event, and whether it was they who acted. */
const viewKey = ({ roleKey, userId, reach }: EventReader, actorId: unknown): string =>
  JSON.stringify([roleKey, [...reach.record], [...reach.actor], userId === actorId])

type View = Omit<TemplateData, 'recipient'>

/** What a recipient may read of the data of the templates. */
const viewFor = (
  deps: VisibilityDeps,
  { entity, record, before, actor, visibility, common }: RuleMatch,
  person: EventReader,
): View => {
  const { catalog } = deps
  const { showsHidden } = visibility
  const reader = readerOf(deps, person, { entity, showsHidden, actorId: actor.get('id') })
  const fields = nest(onlyPaths(record, reader.mayReadRecord))
  const earlier = nest(onlyPaths(before, reader.mayReadRecord))
  const actorFields = nest(onlyPaths(actor, reader.mayReadActor))
  return {
    ...common,
    action: reader.actionOf(common.action),
    record: printableRecord(catalog, entity, fields),
    before: printableRecord(catalog, entity, earlier),
    names: choiceNamesOf(catalog, entity, fields),
    actor: printableRecord(catalog, getEntity(catalog, 'user'), actorFields),
  }
}

/** What templates may show to a user of their own user record. */
const selfFor = (
  deps: VisibilityDeps,
  match: RuleMatch,
  person: EventReader,
  values: Values,
): object => {
  const users = getEntity(deps.catalog, 'user')
  const visible = match.visibility.showsHidden
    ? values
    : onlyPaths(values, (path) => mayReadSelf(deps, person, users, path))
  return printableRecord(deps.catalog, users, nest(visible))
}
