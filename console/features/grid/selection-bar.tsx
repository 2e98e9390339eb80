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
  /** What the selected records amount to. */
  readonly sums: ReactNode
  /** What else is hinted as long as nothing is selected. */
  readonly hint: ReactNode
  /** What can be done with the selection; shown also without one, because a dialog may still be open. */
  readonly children?: ReactNode
}

export const SelectionBar = (props: BarProps): ReactNode => {
  const { selected, total, sums, hint, children } = props
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
    // An open menu or dialog takes the key for itself.
    const isInside = event.target instanceof Element && event.target.closest('dialog, [popover]')
    if (event.key === 'Escape' && !isInside) clear()
  }
  return (
    <section className="selection-bar" aria-label={texts.label} ref={bar} onKeyDown={onKeyDown}>
      <div className="selection-count">
        <span role="status">
          {isActive && count !== undefined
            ? isAll && selection.except.size === 0
              ? texts.allSelected(count)
              : texts.selected(count)
            : ''}
        </span>
        {isActive && sums}
      </div>
      {error !== undefined && (
        <span role="alert">{error === 'tooMany' ? texts.tooMany(maxIds) : error.message}</span>
      )}
      {isActive && !isAll && total !== undefined && total > (count ?? 0) && (
        <span className="selection-all">
          <Button look="quiet" aria-label={texts.all(total)} onClick={() => set(everything)}>
            <span>{texts.allShort(total)}</span>
          </Button>
        </span>
      )}
      {!isActive && total !== 0 && (
        <>
          <span className="selection-hint">{texts.hint}</span>
          {hint}
        </>
      )}
      {children}
      {isActive && <IconButton label={texts.clear} icon={closeIcon} onClick={clear} />}
    </section>
  )
}
