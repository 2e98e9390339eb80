/** The foot of a list: how many records are selected, what can be done with them, and hints. It covers no row. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { laterPart, whenUsed } from '../../parts/later.tsx'
import { useMedia } from '../../parts/use-media.ts'
import { useTexts } from '../../texts/texts.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import type { ListColumn } from '../values/columns.ts'
import { editedField, useCellEdits } from './cell-edits.tsx'
import { everything, isEmpty, type ListSelection, maxIds, nothing } from './selection.ts'
import './selection-bar.css'

const HintText = laterPart(async () => (await import('./cell-notes.tsx')).HintText)

type BarProps = HintProps & {
  readonly selected: ListSelection
  /** Of the records that match. */
  readonly total: number | undefined
  /** The sums of the selected records. */
  readonly sums: ReactNode
  /** What can be done with the selection; shown also without one, because a dialog may still be open. */
  readonly children?: ReactNode
}

export const SelectionBar = (props: BarProps): ReactNode => {
  const { entity, columns, selected, total, sums, children } = props
  const { selection: texts } = useTexts()
  const { selection, count, error, set } = selected
  const isAll = selection.kind === 'all'
  const isActive = !isEmpty(selection)
  const bar = useRef<HTMLElement>(null)
  const clear = () => {
    set(nothing)
    // The button that had the focus disappears.
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
          <EditingHint entity={entity} columns={columns} />
        </>
      )}
      {children}
      {isActive && <IconButton label={texts.clear} icon={closeIcon} onClick={clear} />}
    </section>
  )
}

type HintProps = {
  readonly entity: Entity
  /** Those that the list shows. */
  readonly columns: readonly ListColumn[]
}

/** The name of the setting that says that the user does not need the hint. */
const hintSetting = 'known.cells'

/**
 * The hint that cells can be edited: for users who have edited none yet and have not closed the hint. It is loaded when they
 * begin to use the page.
 */
const EditingHint = ({ entity, columns }: HintProps): ReactNode => {
  const { settings, change } = useConsoleSettings()
  const { edits } = useCellEdits(entity.key)
  const [isUsed, setIsUsed] = useState(false)
  // Cards of a phone have few cells, and a finger neither the key nor a double click.
  const hasPointer = useMedia('(width >= 48rem) and (hover: hover)')
  const isNeeded = settings[hintSetting] !== true
  const isEdited = isNeeded && edits.size > 0
  useEffect(() => whenUsed(() => setIsUsed(true)), [])
  useEffect(() => {
    if (isEdited) change({ [hintSetting]: true })
  }, [isEdited, change])
  const isEditable = columns.some((column) => editedField(entity, column) !== undefined)
  if (!isNeeded || isEdited || !isUsed || !hasPointer || !isEditable) return null
  return <HintText onClose={() => change({ [hintSetting]: true })} />
}
