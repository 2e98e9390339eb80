/** Loads the operations of selected records when the first one is selected. */
import { type ReactNode, useState } from 'react'
import { laterPart } from '../../parts/later.tsx'
import { isEmpty } from '../grid/selection.ts'
import type { ActionsProps } from './bulk-actions.tsx'

const BulkActions = laterPart(async () => (await import('./bulk-actions.tsx')).BulkActions)

export const SelectedActions = (props: ActionsProps): ReactNode => {
  const [wasSelected, setWasSelected] = useState(false)
  if (!wasSelected && !isEmpty(props.selected.selection)) setWasSelected(true)
  return wasSelected && <BulkActions {...props} />
}
