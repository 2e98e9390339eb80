/** Where the search of the palette leads for some words. */
import { useNavigate } from '@tanstack/react-router'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useState,
} from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { usePages } from '../session/pages.ts'
import { useSession } from '../session/session.ts'
import { MarkedText } from '../values/marked-text.tsx'
import { useDelayed } from '../values/use-delayed.ts'
import { useLastLists } from '../views/entity-links.tsx'
import { useOpenView, viewEntity } from '../views/views.ts'
import { FoundFacts, type FoundRecord, useFound } from './found-records.tsx'
import '../../parts/options.css'
import './search.css'

type Target = {
  readonly key: string
  readonly label: string
  readonly note: string
  readonly to: string
  /** What a list or the search shows. */
  readonly search?: ListSearch
  readonly record?: FoundRecord
}

const searchPath = '/-/search'

// Shorter than most pauses between two keys; a search for earlier words is aborted.
const delayMs = 50
const mostOfEach = 5

type Targets = {
  readonly targets: readonly Target[]
  /** Whether the records are those of these words: what was found before stays until then. */
  readonly isCurrent: boolean
}

/** Pages and entities whose names have the words, and what the service finds. */
const useTargets = (words: string): Targets => {
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

const scrollToIt = (option: HTMLElement | null): void =>
  option?.scrollIntoView({ block: 'nearest' })

type PaletteProps = {
  readonly words: string
  readonly onWords: (words: string) => void
  readonly onClose: () => void
}

/** Opens the marked entry when Enter is pressed: at once, or when it is known which one it is. */
const useOpening = (isKnown: boolean, open: () => void) => {
  const [isAsked, setAsked] = useState(false)
  const onKnown = useEffectEvent(() => {
    setAsked(false)
    open()
  })
  useEffect(() => {
    if (isAsked && isKnown) onKnown()
  }, [isAsked, isKnown])
  return setAsked
}

/** Pages and entities are known from the words alone. */
const isFixed = (target: Target | undefined): boolean =>
  target !== undefined && target.record === undefined && target.to !== searchPath

export const PaletteDialog = ({ words, onWords, onClose }: PaletteProps): ReactNode => {
  const { palette } = useTexts()
  const texts = useWorkTexts().search
  const list = useId()
  const navigate = useNavigate()
  const openView = useOpenView()
  // Undefined until the user moves from the first entry.
  const [active, setActive] = useState<number>()
  const { targets, isCurrent } = useTargets(words)
  const { length } = targets
  const at = Math.min(active ?? 0, length - 1)
  const go = (target: Target | undefined) => {
    if (!target) return
    onClose()
    const { record } = target
    if (record?.entity === viewEntity) void openView(record.id)
    else void navigate({ to: target.to, ...(target.search && { search: target.search }) })
  }
  // Enter right after typing means these words, not those of the search before.
  const isKnown = active !== undefined || isCurrent || isFixed(targets[0])
  const setOpening = useOpening(isKnown, () => go(targets[at]))
  const move = (steps: number) => {
    setOpening(false)
    if (length > 0) setActive((at + length + steps) % length)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys of an input method, such as one for Japanese, are not for the list.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') move(1)
    // From the first one to the page with all results.
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === 'Enter') setOpening(true)
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={palette.title} onClose={onClose}>
      <input
        className="field-input"
        role="combobox"
        aria-label={palette.title}
        aria-expanded={length > 0}
        aria-controls={list}
        {...(targets[at] && { 'aria-activedescendant': `${list}-${at}` })}
        autoComplete="off"
        dir="auto"
        value={words}
        onChange={({ target }) => {
          onWords(target.value)
          setActive(undefined)
          setOpening(false)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={list}
        role="listbox"
        aria-label={texts.results}
        aria-busy={!isCurrent}
        className="palette-list options"
      >
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
        {length === 0 && palette.none}
      </p>
    </Dialog>
  )
}
