/** The list that is exported, as its page knows it. */
import type { Entity } from '../../api/types.ts'
import type { ListColumn } from '../list/columns.ts'
import type { ListSearch } from '../list/list-state.ts'

export type ExportedList = {
  readonly entity: Entity
  /** Those that the list shows. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  /** The number of records that match. */
  readonly count: number | undefined
}
