/** The foot of a list: how many records are selected, and what can be done with them. It covers no row. */
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import { everything, isEmpty, maxIds, nothing } from './selection.ts'
import type { ListSelection } from './use-selection.ts'
import './selection-bar.css'

type BarProps = {
  readonly selected: ListSelection
  /** Of the records that match. */
  readonly total: number | undefined
  /** What can be done with the selection. */
  readonly children?: ReactNode
}

export const SelectionBar = ({ selected, total, children }: BarProps): ReactNode => {
  const { selection: texts } = useTexts()
  const { selection, count, error, set } = selected
  const isAll = selection.kind === 'all'
  const isActive = !isEmpty(selection)
  const bar = useRef<HTMLElement>(null)
  const clear = () => {
    set(nothing)
    // What had the focus is gone.
    bar.current?.parentElement?.querySelector<HTMLElement>('[role=grid]')?.focus()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // An open menu takes the key for itself.
    if (event.key === 'Escape' && !event.currentTarget.querySelector(':popover-open')) clear()
  }
  return (
    <section className="selection-bar" aria-label={texts.label} ref={bar} onKeyDown={onKeyDown}>
      <span role="status">
        {isActive && count !== undefined
          ? isAll && selection.except.size === 0
            ? texts.allSelected(count)
            : texts.selected(count)
          : ''}
      </span>
      {error !== undefined && (
        <span role="alert">{error === 'tooMany' ? texts.tooMany(maxIds) : error.message}</span>
      )}
      {isActive ? (
        <>
          {!isAll && total !== undefined && total > (count ?? 0) && (
            <Button look="quiet" onClick={() => set(everything)}>
              {texts.all(total)}
            </Button>
          )}
          {children}
          <IconButton label={texts.clear} icon={closeIcon} onClick={clear} />
        </>
      ) : (
        <span className="selection-hint">{texts.hint}</span>
      )}
    </section>
  )
}
