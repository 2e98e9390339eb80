/** The groups of a list, asked for in the menu of a column; their dialog is loaded when it is first opened. */
import { type ReactNode, useState } from 'react'
import { laterPart } from '../../parts/later.tsx'
import type { ListColumn } from '../values/columns.ts'
import type { GroupDialog as Dialog } from './group-dialog.tsx'

const GroupDialog = laterPart(async () => (await import('./group-dialog.tsx')).GroupDialog)

type Grouping = { readonly onGroup: (column: ListColumn) => void; readonly dialog: ReactNode }

export const useGrouping = (
  list: Omit<Parameters<typeof Dialog>[0], 'column' | 'onClose'>,
): Grouping => {
  const [column, setColumn] = useState<ListColumn>()
  const dialog = column && (
    <GroupDialog {...list} column={column} onClose={() => setColumn(undefined)} />
  )
  return { onGroup: setColumn, dialog }
}
