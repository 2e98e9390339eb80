/** The data of a notice's templates as a recipient may read them; people who may read the same share them. */
import type { Person } from '../../auth/caller.ts'
import {
  mayReadActor,
  mayReadPath,
  mayReadSelf,
  onlyPaths,
  type SightDeps,
  sightKey,
  type Values,
} from '../../auth/sight.ts'
import { getEntity } from '../../definitions/catalog.ts'
import { shownRecord } from '../../deliveries/event-data/printable-record.ts'
import type { TemplateData } from '../content/render-content.ts'
import { nest } from '../content/template-data.ts'
import type { Notice } from './notice.ts'

export type View = {
  /** Everybody with this key reads the same. */
  readonly key: string
  readonly data: Omit<TemplateData, 'recipient'>
}

/** Answers with what one person may read. */
export const viewsOf = (deps: SightDeps, notice: Notice): ((person: Person) => View) => {
  const known = new Map<string, View>()
  return (person) => {
    const { showsHidden, record, actor } = notice.sight
    const key = showsHidden ? '' : sightKey(person, record, actor)
    const view = known.get(key) ?? { key, data: dataFor(deps, notice, person) }
    known.set(key, view)
    return view
  }
}

const dataFor = (deps: SightDeps, notice: Notice, person: Person): View['data'] => {
  const { entity, record, actor, sight, common } = notice
  const { catalog } = deps
  const people = getEntity(catalog, 'user')
  const view = (record: Values, actor: Values) => ({
    ...common,
    record: shownRecord(catalog, entity, nest(record)),
    actor: shownRecord(catalog, people, nest(actor)),
  })
  if (sight.showsHidden) return view(record, actor)
  const who = { id: actor.get('id'), owners: sight.actor }
  return view(
    onlyPaths(record, (path) => mayReadPath(deps, person, entity, path, sight.record)),
    onlyPaths(actor, (path) => mayReadActor(deps, person, people, path, who)),
  )
}

/** What templates may say to a person of their own user record. */
export const selfFor = (
  deps: SightDeps,
  notice: Notice,
  person: Person,
  values: Values,
): object => {
  const people = getEntity(deps.catalog, 'user')
  const visible = notice.sight.showsHidden
    ? values
    : onlyPaths(values, (path) => mayReadSelf(deps, person, people, path))
  return shownRecord(deps.catalog, people, nest(visible))
}
