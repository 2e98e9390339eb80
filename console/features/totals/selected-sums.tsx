/** What the selected records of a list amount to. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { matching, type Selection } from '../grid/selection.ts'
import { settleMs } from '../grid/totalled.ts'
import { UnitSums } from '../grid/unit-sums.tsx'
import { useDelayed } from '../values/use-delayed.ts'

type SelectedProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly selection: Selection
}

export const SelectedSums = ({ entity, search, selection }: SelectedProps): ReactNode => {
  const settled = useDelayed(selection, settleMs)
  return (
    <UnitSums entity={entity} criteria={matching(settled, search)} isOld={settled !== selection} />
  )
}
