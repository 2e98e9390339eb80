/** The search of the palette: pages, entities, and records of all entities by a few letters. */
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { useSearchTexts } from '../../texts/search/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { useAdminPages } from '../administration/administration.ts'
import { FoundFacts } from '../found/found-facts.tsx'
import { type FoundRecord, useFound } from '../found/use-found.ts'
import type { ListSearch } from '../list/list-state.ts'
import { MarkedText } from '../marked/marked-text.tsx'
import { useOwnPages } from '../pages/own-pages.ts'
import { useSession } from '../session/session.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { useLastLists } from '../views/last-list.ts'
import { useOpenView, viewEntity } from '../views/open-view.ts'
import '../../parts/options.css'
import './palette.css'

type Target = {
  readonly key: string
  readonly label: string
  readonly note: string
  readonly to: string
  /** What a list or the search shows. */
  readonly search?: ListSearch
  readonly record?: FoundRecord
}

/** What it shows at once. */
export const texts = [useSearchTexts] as const

const searchPath = '/-/search'

const scrollToIt = (option: HTMLElement | null): void =>
  option?.scrollIntoView({ block: 'nearest' })

// Less than between two keys of most people; a search that is not wanted any more is aborted.
const delayMs = 50
const mostOfEach = 5

/** Pages and entities whose names have the words, and what the service finds. */
const useTargets = (words: string): readonly Target[] => {
  const { administration } = useTexts()
  const texts = useSearchTexts()
  const ownPages = useOwnPages()
  const adminPages = useAdminPages()
  const { entities } = useSession()
  const lastOf = useLastLists()
  const sought = useDelayed(words.trim(), delayMs)
  const found = useFound(sought, mostOfEach)
  const isNoneFound = found.isSuccess && found.records.length + found.incomplete.length === 0
  const q = words.trim()
  const fits = (text: string) => text.toLowerCase().includes(q.toLowerCase())
  const pages: readonly Target[] = [
    ...ownPages.map(({ key, label, to }) => ({ key: `page ${key}`, label, note: '', to })),
    ...adminPages.map(({ to, label }) => ({ key: to, label, note: administration.title, to })),
  ]
  const lists: readonly Target[] = [...entities.values()]
    .filter(({ permissions }) => permissions.read !== false)
    .filter(({ name, pluralName }) => fits(pluralName) || fits(name))
    .map(({ key, pluralName }) => {
      return { key, label: pluralName, note: '', to: `/${key}`, search: lastOf(key) }
    })
  return [
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
}

type PaletteProps = {
  readonly words: string
  readonly onWords: (words: string) => void
  readonly onClose: () => void
}

export const PaletteDialog = ({ words, onWords, onClose }: PaletteProps): ReactNode => {
  const { palette } = useTexts()
  const texts = useSearchTexts()
  const list = useId()
  const navigate = useNavigate()
  const openView = useOpenView()
  const [active, setActive] = useState(0)
  const targets = useTargets(words)
  const at = Math.min(active, targets.length - 1)
  const go = (target: Target | undefined) => {
    if (!target) return
    onClose()
    const { record } = target
    if (record?.entity === viewEntity) void openView(record.id)
    else void navigate({ to: target.to, ...(target.search && { search: target.search }) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { length } = targets
    if (length === 0) return
    if (event.key === 'ArrowDown') setActive((at + 1) % length)
    // From the first one to the page with all results.
    else if (event.key === 'ArrowUp') setActive((at + length - 1) % length)
    else if (event.key === 'Enter') go(targets[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={palette.title} onClose={onClose}>
      <input
        className="field-input"
        role="combobox"
        aria-label={palette.title}
        aria-expanded={targets.length > 0}
        aria-controls={list}
        {...(targets[at] && { 'aria-activedescendant': `${list}-${at}` })}
        autoComplete="off"
        dir="auto"
        value={words}
        onChange={({ target }) => {
          onWords(target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label={texts.results} className="palette-list options">
        {targets.map((target, index) => (
          <div
            key={target.key}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            data-all={target.to === searchPath || undefined}
            {...(index === at && { ref: scrollToIt })}
            onPointerDown={() => go(target)}
          >
            <MarkedText text={target.label} words={target.to === searchPath ? '' : words} />{' '}
            <small dir="auto">{target.note}</small>
            {target.record && <FoundFacts record={target.record} words={words} />}
          </div>
        ))}
      </div>
      <p role="status" className="palette-none">
        {targets.length === 0 && palette.none}
      </p>
    </Dialog>
  )
}
