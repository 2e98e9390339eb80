/** A menu behind a button: a popover of the browser, moved through by arrow keys (WAI-ARIA menu button). */
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useRef } from 'react'
import './menu.css'
import '../styles/popover.css'

export type MenuItem = {
  readonly label: string
  readonly onSelect: () => void
  readonly isChecked?: boolean
  readonly isDisabled?: boolean
  /** A line stands above it. */
  readonly isFirstOfGroup?: boolean
  /** Whether it is usually chosen several times. */
  readonly keepsOpen?: boolean
}

type MenuProps = {
  readonly label: string
  /** What the button shows: an icon, whose name is the label, or words that name it themselves. */
  readonly face: ReactNode
  readonly items: readonly MenuItem[]
  readonly look?: 'icon' | 'quiet' | 'plain'
  readonly tabIndex?: number
}

/** What is disabled cannot have the focus, and keys go past it. */
const enabledItems = '[role^=menuitem]:not(:disabled)'

type ListProps = Pick<MenuProps, 'label' | 'items'> & {
  readonly id?: string
  readonly ref: RefObject<HTMLDivElement | null>
  readonly onClose?: () => void
}

/** The items of a menu, shown as a popover by whatever opens it. */
export const MenuList = ({ id, ref, label, items, onClose }: ListProps): ReactNode => {
  const focusAt = (index: number) => {
    const all = [...(ref.current?.querySelectorAll<HTMLElement>(enabledItems) ?? [])]
    all.at(index % all.length)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const all = [...(ref.current?.querySelectorAll(enabledItems) ?? [])]
    const at = all.indexOf(event.target as Element)
    const next = nextFocus(event.key, at, all.length)
    if (next === undefined) return
    event.preventDefault()
    focusAt(next)
  }
  return (
    // The items have the focus; the list handles their keys.
    <div
      ref={ref}
      id={id}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      className="popover menu"
      onToggle={({ newState }) => (newState === 'open' ? focusAt(0) : onClose?.())}
      onKeyDown={onKeyDown}
    >
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item that stays open may change its label
        <MenuRow key={at} item={item} onDone={() => ref.current?.hidePopover()} />
      ))}
    </div>
  )
}

export const Menu = ({ label, face, items, look = 'icon', tabIndex }: MenuProps): ReactNode => {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  return (
    <>
      <button
        type="button"
        className="button"
        data-look={look}
        {...(look === 'icon' && { 'aria-label': label, title: label })}
        aria-haspopup="menu"
        popoverTarget={id}
        tabIndex={tabIndex}
      >
        {face}
      </button>
      <MenuList id={id} label={label} items={items} ref={list} />
    </>
  )
}

const nextFocus = (key: string, at: number, count: number): number | undefined => {
  if (key === 'ArrowDown') return at + 1
  if (key === 'ArrowUp') return at + count - 1
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : undefined
}

type RowProps = { readonly item: MenuItem; readonly onDone: () => void }

const MenuRow = ({ item, onDone }: RowProps): ReactNode => {
  const { label, isChecked, isDisabled = false, isFirstOfGroup, keepsOpen = false, onSelect } = item
  const select = () => {
    if (!keepsOpen) onDone()
    onSelect()
  }
  const common = {
    ...({ type: 'button', tabIndex: -1, disabled: isDisabled, onClick: select } as const),
    'data-first': isFirstOfGroup || undefined,
  }
  if (isChecked === undefined)
    return (
      <button {...common} role="menuitem">
        {label}
      </button>
    )
  return (
    <button {...common} role="menuitemcheckbox" aria-checked={isChecked}>
      {label}
    </button>
  )
}
