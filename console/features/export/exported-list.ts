/** The list that is exported, as its page knows it. */
import type { Criteria, Entity } from '../../api/types.ts'
import type { ListSearch } from '../grid/list-state.ts'
import type { ListColumn } from '../values/columns.ts'

export type ExportedList = {
  readonly entity: Entity
  /** Those that the list shows. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  /** The number of records that match. */
  readonly count: number | undefined
  /** The records that are selected in it; undefined: none. */
  readonly selected?: SelectedRecords | undefined
}

type SelectedRecords = {
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  readonly count: number | undefined
}
