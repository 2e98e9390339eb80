/** What the selected records of a list amount to. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import type { ListSearch } from '../list/list-state.ts'
import { matching, type Selection } from '../selection/selection.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { settleMs } from './totalled.ts'
import { UnitSums } from './unit-sums.tsx'

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
