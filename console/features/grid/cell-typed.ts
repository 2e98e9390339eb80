/** Keeps what is typed into a cell in the browser. */
import { useEffect, useEffectEvent } from 'react'
import { forgetDraft, keepDraft } from '../../api/own/drafts.ts'
import { useSession } from '../session/session.ts'
import { openCellName, printDraft, printEdit } from './cell-drafts.ts'
import type { NewEdit } from './cell-edits.tsx'

/** Keeps what is typed into an open cell, until it is closed: then it is saved or taken back. */
export const useKeptCell = (key: string, edit: NewEdit, isChanged: boolean): void => {
  const { id } = useSession().me
  const keep = useEffectEvent(() => {
    const name = openCellName(key)
    if (isChanged) void keepDraft(id, name, printDraft([printEdit(edit)]))
    else void forgetDraft(id, name)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each value that is typed is kept
  useEffect(() => keep(), [edit.mine, isChanged])
  useEffect(() => () => void forgetDraft(id, openCellName(key)), [id, key])
}
