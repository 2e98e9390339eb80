/** The search of the palette: pages, entities, and records of all entities by a few letters. */
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
import { MarkedText } from '../values/marked-text.tsx'
import { useOpenView, viewEntity } from '../views/views.ts'
import { FoundFacts } from './found-facts.tsx'
import { searchPath, type Target, useTargets } from './use-targets.ts'
import '../../parts/options.css'
import './palette.css'

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
  // Undefined until somebody moves from the first one.
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
  // Whoever types fast and presses Enter means these words, not those that were searched for before.
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
