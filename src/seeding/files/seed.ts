/** What a seed file holds: first as it stands there, then as records to write. */
import type { Column, Entity } from '../../definitions/catalog.ts'
import type { JsonPath } from '../../definitions/source-file.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import type { Slot } from '../seed-slot.ts'
import type { Located, SeedError } from './seed-error.ts'

/** A value as the file gives it, and what it is for. */
export type Cell = { readonly slot: Slot; readonly value: unknown; readonly path: JsonPath }

export type RawRecord = {
  /** Where it stands in its file, from 0. */
  readonly index: number
  readonly cells: readonly Cell[]
  /** Columns that it means to fill, but how has an error. */
  readonly wrong: readonly Column[]
}

export type SeedFile = Located & {
  readonly entity: Entity
  /** Values of CSV are text that has still to be read by its field's type. */
  readonly isText: boolean
  readonly records: readonly RawRecord[]
  /** Whether all that the file holds is in `records`. */
  readonly isWhole: boolean
  readonly errors: readonly SeedError[]
}

/** A seed file by its name. */
export type SeedName = { readonly file: string; readonly entity: Entity; readonly isText: boolean }

/** A many-to-one that is given by a unique value of its target. */
export type Reference = {
  readonly column: Column
  readonly by: Column
  readonly value: SqlValue
  readonly path: JsonPath
  /** Whether the record that it leads to was removed; known once it is resolved. */
  isRemoved: boolean
}

/** A record on its way: the stages add to it what they find out. */
export type SeedRecord = {
  readonly index: number
  readonly values: Map<Column, SqlValue>
  readonly references: readonly Reference[]
  /** Columns that have an error already. */
  readonly wrong: Set<Column>
  /** Its own id, or the one that it will have. */
  id: number
  isNew: boolean
  /** Whether its history tells of a person who changed or removed it. */
  isChangedByPeople: boolean
  /** Whether people removed it, so that it is there but not to be made again. */
  isRemovedByPeople: boolean
}
