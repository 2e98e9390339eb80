/** The search of the palette: pages, entities, and records of all entities by a few letters. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { foundQuery } from '../../api/records/found.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useAdminPages } from '../administration/administration.ts'
import type { ListSearch } from '../list/list-state.ts'
import { useOwnPages } from '../pages/own-pages.ts'
import { useSession } from '../session/session.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { useLastLists } from '../views/last-list.ts'
import './palette.css'

type Target = {
  readonly key: string
  readonly label: string
  readonly note: string
  readonly to: string
  /** What a list shows. */
  readonly search?: ListSearch
}

const delayMs = 120

/** Pages and entities whose names have the words, and what the service finds. */
const useTargets = (words: string): readonly Target[] => {
  const { administration } = useTexts()
  const ownPages = useOwnPages()
  const adminPages = useAdminPages()
  const { entities } = useSession()
  const lastOf = useLastLists()
  const sought = useDelayed(words.trim(), delayMs)
  const found = useQuery({ ...foundQuery(sought), enabled: sought !== '' })
  const pages: readonly Target[] = [
    ...ownPages.map(({ key, label, to }) => ({ key: `page ${key}`, label, note: '', to })),
    ...adminPages.map(({ to, label }) => ({ key: to, label, note: administration.title, to })),
    ...[...entities.values()]
      .filter(({ permissions }) => permissions.read !== false)
      .map(({ key, name }) => {
        return { key, label: name, note: '', to: `/${key}`, search: lastOf(key) }
      }),
  ].filter(({ label }) => label.toLowerCase().includes(words.trim().toLowerCase()))
  const records = sought === '' ? [] : (found.data ?? [])
  return [
    ...pages,
    ...records.map(({ entity, id, display }) => ({
      key: `${entity}/${id}`,
      label: display ?? `${id}`,
      note: entities.get(entity)?.name ?? entity,
      to: `/${entity}/${id}`,
    })),
  ]
}

export const PaletteDialog = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const { palette } = useTexts()
  const list = useId()
  const navigate = useNavigate()
  const [words, setWords] = useState('')
  const [active, setActive] = useState(0)
  const targets = useTargets(words)
  const at = Math.min(active, targets.length - 1)
  const go = (target: Target | undefined) => {
    if (!target) return
    onClose()
    void navigate({ to: target.to, ...(target.search && { search: target.search }) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(at + 1, targets.length - 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(at - 1, 0))
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
          setWords(target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label={palette.results} className="palette-list">
        {targets.map((target, index) => (
          <div
            key={target.key}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onPointerDown={() => go(target)}
          >
            <span dir="auto">{target.label}</span> <small dir="auto">{target.note}</small>
          </div>
        ))}
      </div>
      {targets.length === 0 && <p role="status">{palette.none}</p>}
    </Dialog>
  )
}
