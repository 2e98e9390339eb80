/** Where the search of the palette leads for some words. */
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { usePages } from '../session/pages.ts'
import { useSession } from '../session/session.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { useLastLists } from '../views/last-list.ts'
import { type FoundRecord, useFound } from './use-found.ts'

export type Target = {
  readonly key: string
  readonly label: string
  readonly note: string
  readonly to: string
  /** What a list or the search shows. */
  readonly search?: ListSearch
  readonly record?: FoundRecord
}

export const searchPath = '/-/search'

// Less than between two keys of most people; a search that is not wanted any more is aborted.
const delayMs = 50
const mostOfEach = 5

type Targets = {
  readonly targets: readonly Target[]
  /** Whether the records are those of these words: what was found before stays until then. */
  readonly isCurrent: boolean
}

/** Pages and entities whose names have the words, and what the service finds. */
export const useTargets = (words: string): Targets => {
  const { administration } = useTexts()
  const texts = useWorkTexts().search
  const ownPages = usePages()
  const { entities } = useSession()
  const lastOf = useLastLists()
  const sought = useDelayed(words.trim(), delayMs)
  const found = useFound(sought, mostOfEach)
  const isAsked = found.isFetching && (found.isPending || found.isPlaceholderData)
  const isNoneFound = found.isSuccess && found.records.length + found.incomplete.length === 0
  const q = words.trim()
  const fits = (text: string) => text.toLowerCase().includes(q.toLowerCase())
  const pages: readonly Target[] = ownPages.map(({ place, label, to }) => {
    return { key: to, label, note: place === 'administration' ? administration.title : '', to }
  })
  const lists: readonly Target[] = [...entities.values()]
    .filter(({ permissions }) => permissions.read !== false)
    .filter(({ name, pluralName }) => fits(pluralName) || fits(name))
    .map(({ key, pluralName }) => {
      return { key, label: pluralName, note: '', to: `/${key}`, search: lastOf(key) }
    })
  const targets = [
    ...pages.filter(({ label }) => fits(label)),
    ...lists,
    ...found.records.map((record) => ({
      key: `${record.entity}/${record.id}`,
      label: record.display ?? `${record.id}`,
      note: entities.get(record.entity)?.name ?? record.entity,
      to: `/${record.entity}/${record.id}`,
      record,
    })),
    ...(q === '' || isNoneFound
      ? []
      : [{ key: 'all', label: texts.all, note: '', to: searchPath, search: { q } }]),
  ]
  return { targets, isCurrent: q === '' || (sought === q && !isAsked) }
}
