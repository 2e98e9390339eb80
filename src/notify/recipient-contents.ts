/** The contents of a rule's notifications for its recipients, each with what that recipient may read, and what all of them read alike. */
import { setImmediate } from 'node:timers/promises'
import type { VisibilityDeps } from '../auth/readable-records.ts'
import { mayReadSelf, onlyPaths, type Values } from '../auth/readable-values.ts'
import { type Catalog, getEntity, languageOf } from '../definitions/catalog.ts'
import type { StoredContent } from '../inbox/notification.ts'
import type { Recipients } from '../inbox/store-notifications.ts'
import {
  commentFor,
  type EventReader,
  readerOf,
  type SharedContent,
} from '../outbox/events/notification-event.ts'
import { choiceNamesOf, printableRecord } from '../outbox/events/printable-record.ts'
import type { Condition } from '../query/criteria/criteria.ts'
import { readReadings, type UserReading } from '../users/user-readings.ts'
import {
  isPersonal,
  type RenderedContent,
  type RuleContent,
  renderContent,
  type TemplateData,
} from './content.ts'
import { type DecideDeps, type RuleMatch, userPaths } from './decide.ts'
import { byId, idIn, loadPaths, nest } from './event-values.ts'

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

/**
 * The contents for the recipients of changes that match the same rule, in the order of the changes: each as its recipient reads, or
 * all as the project does, to compare them.
 */
export const renderForAll = async (
  deps: DecideDeps,
  matched: readonly MatchedPersons[],
  readAs: 'themselves' | 'the project' = 'themselves',
): Promise<RecipientContents[]> => {
  const content = matched[0]?.match.contentIn(deps.catalog)
  const ids = matched.flatMap(({ persons }) => persons.map(({ userId }) => userId))
  const users = content && isPersonal(content) && byId(await loadUsers(deps, content, idIn(ids)))
  const readings = readAs === 'themselves' ? await readReadings(deps.pool, deps, ids) : () => deps
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
      const rendered = render(person, user, readings(person.userId))
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
  content: RuleContent,
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

/** Renders the content for one recipient after another: once for all who may read the same alike, unless it names the recipient. */
export const createRenderer = (
  deps: DecideDeps,
  match: RuleMatch,
): ((person: EventReader, user: Values, reading: UserReading) => RenderedContent) => {
  const { showsHidden } = match.visibility
  const isShared = !isPersonal(match.contentIn(deps.catalog))
  const views = new Map<string, View>()
  const rendered = new Map<string, RenderedContent>()
  return (person, user, { catalog, timeZone }) => {
    const { locale } = catalog
    const seen = showsHidden ? '' : viewKey(person, match.actor.get('id'))
    const key = `${locale} ${timeZone} ${seen}`
    const shared = rendered.get(key)
    if (shared) return shared
    const view = views.get(key) ?? viewFor(deps, match, person, catalog)
    views.set(key, view)
    const recipient = selfFor(deps, match, person, user, catalog)
    const reading = { locale, timeZone }
    const { content, unreadDueDate } = renderContent(
      match.contentIn(catalog),
      { ...view, recipient },
      deps.timeZone,
      reading,
    )
    const id = match.message.said?.comment_id
    const all = { content: id ? { ...content, comment_id: id } : content, unreadDueDate }
    if (isShared) rendered.set(key, all)
    return all
  }
}

/** What distinguishes the views of two users: their role, what they may read of the event, and whether it was they who acted. */
const viewKey = ({ roleKey, userId, reach }: EventReader, actorId: unknown): string =>
  JSON.stringify([roleKey, [...reach.record], [...reach.actor], userId === actorId])

type View = Omit<TemplateData, 'recipient'>

/** What a recipient may read of the data of the templates, with the names of a catalog. */
const viewFor = (
  deps: VisibilityDeps,
  { entity, record, before, actor, visibility, commonIn }: RuleMatch,
  person: EventReader,
  catalog: Catalog,
): View => {
  const common = commonIn(catalog)
  const { showsHidden } = visibility
  const reader = readerOf(deps, person, { entity, showsHidden, actorId: actor.get('id') })
  const fields = nest(onlyPaths(record, reader.mayReadRecord))
  const earlier = nest(onlyPaths(before, reader.mayReadRecord))
  const actorFields = nest(onlyPaths(actor, reader.mayReadActor))
  const { mentioned: _, ...data } = common
  return {
    ...data,
    comment: commentFor(deps, person, common),
    language: languageOf(catalog.locale),
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
  catalog: Catalog,
): object => {
  const users = getEntity(deps.catalog, 'user')
  const visible = match.visibility.showsHidden
    ? values
    : onlyPaths(values, (path) => mayReadSelf(deps, person, users, path))
  return printableRecord(catalog, users, nest(visible))
}

/** What all recipients of an event read alike, for channels that send one message for all of them. */
type Shared = { readonly userId: number; readonly content: SharedContent }

export type SharedReading = {
  readonly add: (recipients: Recipients) => void
  /** With the first recipient; undefined without any. */
  readonly result: () => Shared | undefined
}

/** Reads one page of recipients after another: a part that one of them reads otherwise, or not at all, is left out. */
export const createSharedReading = (): SharedReading => {
  let shared: Shared | undefined
  const read = (userId: number, { title, message, url }: SharedContent) => {
    const content = { title, message, url }
    shared = shared ? { ...shared, content: alike(shared.content, content) } : { userId, content }
  }
  return {
    add: (recipients) => {
      const { userIds } = recipients
      const contents = 'contents' in recipients ? recipients.contents : [recipients.content]
      for (const [index, content] of contents.entries()) read(userIds[index] ?? 0, content)
    },
    result: () => shared,
  }
}

const alike = (one: SharedContent, other: SharedContent): SharedContent => ({
  title: one.title === other.title ? one.title : '',
  message: one.message === other.message ? one.message : '',
  url: one.url === other.url ? one.url : null,
})
