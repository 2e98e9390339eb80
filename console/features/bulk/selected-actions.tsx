/** What can be done with the selected records; loaded when the first one is selected. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { isEmpty } from '../grid/selection.ts'
import type { ActionsProps } from './bulk-actions.tsx'

const BulkActions = lazy(async () => ({
  default: (await import('./bulk-actions.tsx')).BulkActions,
}))

export const SelectedActions = (props: ActionsProps): ReactNode => {
  const [wasSelected, setWasSelected] = useState(false)
  if (!wasSelected && !isEmpty(props.selected.selection)) setWasSelected(true)
  return <Suspense>{wasSelected && <BulkActions {...props} />}</Suspense>
}
