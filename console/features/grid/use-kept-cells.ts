/** Keeps changes of cells in the browser until they are saved or given up, and shows them again. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { forgetDraft, type KeptDraft, keepDraft, readDraft } from '../../api/own/drafts.ts'
import type { Entity } from '../../api/types.ts'
import { useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import {
  type CellEdits,
  cellEditsQuery,
  changedCellsName,
  type NewEdit,
  noEdits,
  openCellName,
  printEdit,
} from './cell-edits.ts'

type KeptValues = KeptDraft['values']

const printDraft = (values: KeptValues): string =>
  JSON.stringify({ values, before: {} } satisfies KeptDraft)

/** What stays when the page is closed; `left` are changes of columns that the list does not show. */
const useStored = (key: string, edits: CellEdits, left: KeptValues | undefined): void => {
  const { id } = useSession().me
  const hasStored = useRef(true)
  useEffect(() => {
    // Nothing is known yet of what was stored before.
    if (!left) return
    const values = [...left, ...[...edits.values()].map(printEdit)]
    const name = changedCellsName(key)
    if (values.length > 0) void keepDraft(id, name, printDraft(values))
    else if (hasStored.current) void forgetDraft(id, name)
    hasStored.current = values.length > 0
  }, [id, key, edits, left])
}

type Shown = { readonly entity: Entity; readonly columns: readonly ListColumn[] }

/** Shows what was changed before the page was closed, and keeps what is changed now. */
export const useKeptCells = (shown: Shown, edits: CellEdits): void => {
  const { key } = shown.entity
  const client = useQueryClient()
  const { id } = useSession().me
  const [left, setLeft] = useState<KeptValues>()
  const restore = useEffectEvent(async (values: KeptValues) => {
    const { restoreEdits } = await import('./restore-edits.ts')
    const found = restoreEdits(values, shown)
    client.setQueryData<CellEdits>(
      cellEditsQuery(key).queryKey,
      (now = noEdits) => new Map([...found.restored, ...now]),
    )
    return found.left
  })
  useEffect(() => {
    let isWanted = true
    const read = async () => {
      const names = [changedCellsName(key), openCellName(key)]
      const drafts = await Promise.all(names.map((name) => readDraft(id, name)))
      const values = drafts.flatMap((draft) => draft?.values ?? [])
      if (!isWanted) return
      setLeft(values.length > 0 ? await restore(values) : [])
      void forgetDraft(id, openCellName(key))
    }
    void read()
    return () => {
      isWanted = false
    }
  }, [id, key])
  useStored(key, edits, left)
}

/** Keeps what is typed into an open cell; when it is closed, it is saved or taken back. */
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
