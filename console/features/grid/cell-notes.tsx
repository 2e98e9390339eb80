/** What the foot of a list says of editing: that a cell was saved, with a way back, and that cells can be edited. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { isOpenTo } from '../../api/open-actions.ts'
import { actionsQuery } from '../../api/queries.ts'
import type { Entity } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { cellKey, linkedIn, type NewEdit, type SavedCell, useCellEdits } from './cell-edits.tsx'
import type { Cells } from './use-cells.ts'
import './cells.css'

// Later it can be taken back among the changes of the user.
const shownMs = 10_000

const valueKey = ({ row, listColumn, mine }: NewEdit): string =>
  `${cellKey(row.id, listColumn)} ${JSON.stringify(mine)}`

/** Says that a cell was saved, and offers to undo it: by a second write, which overwrites no value of another user. */
export const SavedNote = ({ cells }: { readonly cells: Cells }): ReactNode => {
  const entity = cells.entity.key
  const { saved, dispatch } = useCellEdits(entity)
  const closeSaved = useCallback(() => dispatch({ kind: 'closeSaved', entity }), [dispatch, entity])
  const { common, cells: words } = useTexts()
  const { changedCell: texts, record } = useWorkTexts()
  const note = useRef<HTMLDivElement>(null)
  const undone = useRef<string>(undefined)
  useTimeToRead(note, saved, closeSaved)
  const isUndone = saved !== undefined && undone.current === valueKey(saved.edit)
  const isFree = useIsFree(cells.entity, saved)
  /** Closes the note; the focus that was in it goes to the list. */
  const close = () => {
    if (note.current?.contains(document.activeElement))
      note.current.parentElement?.parentElement?.querySelector<HTMLElement>('[role=grid]')?.focus()
    closeSaved()
  }
  const undo = ({ edit, row }: SavedCell) => {
    const before = { ...edit, row, base: edit.mine, mine: edit.base, linked: linkedIn(edit) }
    undone.current = valueKey(before)
    close()
    cells.save(before)
  }
  const isUnread = saved?.row.$mark === 'unread'
  const run = saved && !isUndone && !isUnread && isFree ? () => undo(saved) : undefined
  useShortcuts(run ? [{ keys: 'z', label: common.undo, run }] : [])
  const cell = saved && words.cell(saved.edit.listColumn.label, saved.edit.name)
  return (
    <div className="saved-place">
      <div ref={note} className="saved-note" data-empty={!saved || undefined}>
        <span role="status" dir="auto">
          {cell &&
            (isUnread ? record.savedUnread : isUndone ? texts.undone(cell) : texts.saved(cell))}
        </span>
        {run && (
          <Button look="quiet" onClick={run}>
            {common.undo}
          </Button>
        )}
        {saved && <IconButton label={common.close} icon={closeIcon} onClick={close} />}
      </div>
    </div>
  )
}

/** Whether the cell may still be changed: its record may have come to a step that locks it, or out of the user's reach. */
const useIsFree = ({ key, permissions }: Entity, saved: SavedCell | undefined): boolean => {
  const actions = useQuery({
    ...actionsQuery(key, saved?.row.id ?? 0),
    enabled: saved !== undefined && permissions.conditional.includes('update'),
  })
  return !saved || !actions.data || isOpenTo(actions.data, saved.edit.field.key)
}

/** Closes the note after some seconds, but not from under the pointer or the focus. */
const useTimeToRead = (
  note: { readonly current: HTMLElement | null },
  saved: SavedCell | undefined,
  close: () => void,
): void => {
  useEffect(() => {
    if (!saved) return
    const timer = setInterval(() => {
      if (!note.current?.matches(':hover, :focus-within')) close()
    }, shownMs)
    return () => clearInterval(timer)
  }, [note, saved, close])
}

/** The hint that cells can be edited, and how it is closed for ever. */
export const HintText = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const texts = useWorkTexts().editingHint
  const hint = useRef<HTMLDivElement>(null)
  const close = () => {
    // The button that had the focus disappears.
    hint.current?.closest('main')?.querySelector<HTMLElement>('[role=grid]')?.focus()
    onClose()
  }
  return (
    <div ref={hint} className="editing-hint">
      <span>{texts.hint}</span>
      <IconButton label={texts.close} icon={closeIcon} onClick={close} />
    </div>
  )
}
