/** Says that a cell was saved, with the way back: a second write, which overwrites nothing of others. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useChangedCellTexts } from '../../texts/changed-cell/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { valueAt } from '../format/format-value.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { cellKey, type NewEdit } from './cell-edits.ts'
import { type SavedCell, savedCellQuery } from './saved-cell.ts'
import type { Cells } from './use-cells.ts'
import './saved-note.css'

// Afterwards it is among the changes of the user, where it is taken back too.
const shownMs = 10_000

/** What a link named before. */
const linkedBefore = ({ row, listColumn: { link, place } }: NewEdit): string | undefined => {
  const name = link ? valueAt(row, place) : undefined
  return name === undefined || name === null ? undefined : String(name)
}

const valueKey = ({ row, listColumn, mine }: NewEdit): string =>
  `${cellKey(row.id, listColumn)} ${JSON.stringify(mine)}`

const useSaved = (cells: Cells) => {
  const client = useQueryClient()
  const { queryKey } = savedCellQuery(cells.entity)
  const { data: saved = null } = useQuery(savedCellQuery(cells.entity))
  const undone = useRef<string>(undefined)
  const close = () => client.setQueryData<SavedCell | null>(queryKey, null)
  const undo = ({ edit, row }: SavedCell) => {
    const before = { ...edit, row, base: edit.mine, mine: edit.base, linked: linkedBefore(edit) }
    undone.current = valueKey(before)
    close()
    cells.save(before, { value: before.mine, linked: before.linked })
  }
  return { saved, isUndone: saved !== null && undone.current === valueKey(saved.edit), close, undo }
}

export const SavedNote = ({ cells }: { readonly cells: Cells }): ReactNode => {
  const { common, cells: words } = useTexts()
  const texts = useChangedCellTexts()
  const { saved, isUndone, close, undo } = useSaved(cells)
  const note = useRef<HTMLDivElement>(null)
  useTimeToRead(note, saved, close)
  /** What had the focus is gone. */
  const leave = (act: () => void) => {
    if (note.current?.contains(document.activeElement))
      note.current.parentElement?.parentElement?.querySelector<HTMLElement>('[role=grid]')?.focus()
    act()
  }
  const run = saved && !isUndone ? () => leave(() => undo(saved)) : undefined
  useShortcuts(run ? [{ keys: 'z', label: common.undo, run }] : [])
  const cell = saved && words.cell(saved.edit.listColumn.label, saved.edit.name)
  return (
    <div className="saved-place">
      <div ref={note} className="saved-note" data-empty={!saved || undefined}>
        <span role="status" dir="auto">
          {cell && (isUndone ? texts.undone(cell) : texts.saved(cell))}
        </span>
        {run && (
          <Button look="quiet" onClick={run}>
            {common.undo}
          </Button>
        )}
        {saved && <IconButton label={common.close} icon={closeIcon} onClick={() => leave(close)} />}
      </div>
    </div>
  )
}

/** It goes by itself, but not from under the pointer or the focus. */
const useTimeToRead = (
  note: { readonly current: HTMLElement | null },
  saved: SavedCell | null,
  close: () => void,
): void => {
  const latest = useRef(close)
  useEffect(() => {
    latest.current = close
  })
  useEffect(() => {
    if (!saved) return
    const timer = setInterval(() => {
      if (!note.current?.matches(':hover, :focus-within')) latest.current()
    }, shownMs)
    return () => clearInterval(timer)
  }, [note, saved])
}
