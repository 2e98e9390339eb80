/** What a recipient may read of the data of a rule's templates; recipients who may read the same share it. */
import type { Person } from '../../auth/caller.ts'
import {
  mayReadActor,
  mayReadPath,
  mayReadSelf,
  onlyPaths,
  type Values,
  type VisibilityDeps,
  visibilityKey,
} from '../../auth/visibility.ts'
import { getEntity } from '../../definitions/catalog.ts'
import { choiceNamesOf } from '../../outbox/events/choice-names.ts'
import { actionFor } from '../../outbox/events/event-visibility.ts'
import { printableRecord } from '../../outbox/events/printable-record.ts'
import type { TemplateData } from '../content/render-content.ts'
import { nest } from '../content/template-data.ts'
import type { RuleMatch } from './evaluate-rules.ts'

export type View = {
  /** Recipients with this key may read the same. */
  readonly key: string
  readonly data: Omit<TemplateData, 'recipient'>
}

/** Returns what one user may read. */
export const viewsOf = (deps: VisibilityDeps, match: RuleMatch): ((person: Person) => View) => {
  const known = new Map<string, View>()
  return (person) => {
    const { showsHidden, record, actor } = match.sight
    const key = showsHidden ? '' : visibilityKey(person, record, actor)
    const view = known.get(key) ?? { key, data: dataFor(deps, match, person) }
    known.set(key, view)
    return view
  }
}

const dataFor = (deps: VisibilityDeps, match: RuleMatch, person: Person): View['data'] => {
  const { entity, record, actor, sight, common } = match
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
  if (sight.showsHidden) return view(record, actor, common.action)
  const who = { id: actor.get('id'), owners: sight.actor }
  return view(
    onlyPaths(record, (path) => mayReadPath(deps, person, entity, path, sight.record)),
    onlyPaths(actor, (path) => mayReadActor(deps, person, people, path, who)),
    actionFor(deps, person, entity, common.action, sight.record),
  )
}

/** What templates may show to a user of their own user record. */
export const selfFor = (
  deps: VisibilityDeps,
  match: RuleMatch,
  person: Person,
  values: Values,
): object => {
  const people = getEntity(deps.catalog, 'user')
  const visible = match.sight.showsHidden
    ? values
    : onlyPaths(values, (path) => mayReadSelf(deps, person, people, path))
  return printableRecord(deps.catalog, people, nest(visible))
}
