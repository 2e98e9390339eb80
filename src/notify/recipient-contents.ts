/** The contents of a rule's notifications for its recipients, each with what that recipient may read. */
import { setImmediate } from 'node:timers/promises'
import type { Person } from '../auth/caller.ts'
import {
  mayReadActor,
  mayReadPath,
  mayReadSelf,
  onlyPaths,
  type Values,
  type VisibilityDeps,
  visibilityKey,
} from '../auth/visibility.ts'
import { getEntity } from '../definitions/catalog.ts'
import type { StoredContent } from '../inbox/notification.ts'
import type { Recipients } from '../inbox/store-notifications.ts'
import { choiceNamesOf } from '../outbox/events/choice-names.ts'
import { actionFor } from '../outbox/events/event-visibility.ts'
import { printableRecord } from '../outbox/events/printable-record.ts'
import type { Condition } from '../query/criteria/criteria.ts'
import { isPersonal, type RenderedContent, renderContent, type TemplateData } from './content.ts'
import { type DecideDeps, type RuleMatch, userPaths } from './decide.ts'
import { byId, idIn, loadPaths, nest } from './template-data.ts'

// Thousands of templates are rendered in turns, so that other work of the process continues.
const maxTurnMs = 10

/** The recipients of one change. */
export type MatchedPersons = { readonly match: RuleMatch; readonly persons: readonly Person[] }

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

/** What the templates of a rule say about users, and further fields of them. */
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
): ((person: Person, user: Values) => RenderedContent) => {
  const { showsHidden, record, actor } = match.visibility
  const isShared = !isPersonal(match.content)
  const views = new Map<string, View>()
  const rendered = new Map<string, RenderedContent>()
  return (person, user) => {
    const key = showsHidden ? '' : visibilityKey(person, record, actor)
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

type View = Omit<TemplateData, 'recipient'>

/** What a recipient may read of the data of the templates. */
const viewFor = (deps: VisibilityDeps, match: RuleMatch, person: Person): View => {
  const { entity, record, actor, visibility, common } = match
  const { catalog } = deps
  const people = getEntity(catalog, 'user')
  const view = (record: Values, actor: Values, action: typeof common.action) => {
    const fields = nest(record)
    return {
      ...common,
      action,
      record: printableRecord(catalog, entity, fields),
      names: choiceNamesOf(catalog, entity, fields),
      actor: printableRecord(catalog, people, nest(actor)),
    }
  }
  if (visibility.showsHidden) return view(record, actor, common.action)
  const who = { id: actor.get('id'), owners: visibility.actor }
  return view(
    onlyPaths(record, (path) => mayReadPath(deps, person, entity, path, visibility.record)),
    onlyPaths(actor, (path) => mayReadActor(deps, person, people, path, who)),
    actionFor(deps, person, entity, common.action, visibility.record),
  )
}

/** What templates may show to a user of their own user record. */
const selfFor = (
  deps: VisibilityDeps,
  match: RuleMatch,
  person: Person,
  values: Values,
): object => {
  const people = getEntity(deps.catalog, 'user')
  const visible = match.visibility.showsHidden
    ? values
    : onlyPaths(values, (path) => mayReadSelf(deps, person, people, path))
  return printableRecord(deps.catalog, people, nest(visible))
}
