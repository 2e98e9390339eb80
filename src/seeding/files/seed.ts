/** The content of a seed file: first as written, then as records. */
import type { Column, Entity } from '../../definitions/catalog.ts'
import type { JsonPath } from '../../definitions/source-file.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import type { TargetColumn } from '../target-column.ts'
import type { Located, SeedError } from './seed-error.ts'

/** A value of the file with its target column. */
export type Cell = {
  readonly target: TargetColumn
  readonly value: unknown
  readonly path: JsonPath
}

export type RawRecord = {
  /** Its index in the file, from 0. */
  readonly index: number
  readonly cells: readonly Cell[]
  /** Columns with an invalid value. */
  readonly wrong: readonly Column[]
}

export type SeedFile = Located & {
  readonly entity: Entity
  /** CSV values are texts, which the field's type parses later. */
  readonly isText: boolean
  readonly records: readonly RawRecord[]
  /** Whether `records` is complete. */
  readonly isWhole: boolean
  readonly errors: readonly SeedError[]
}

/** A seed file by its name. */
export type SeedName = { readonly file: string; readonly entity: Entity; readonly isText: boolean }

/** A link by a unique value of its target. */
export type Reference = {
  readonly column: Column
  readonly by: Column
  readonly value: SqlValue
  readonly path: JsonPath
  /** Whether the target was removed; known after it is resolved. */
  isRemoved: boolean
}

/** A record during loading: each stage adds its results. */
export type SeedRecord = {
  readonly index: number
  readonly values: Map<Column, SqlValue>
  readonly references: readonly Reference[]
  /** Columns that have an error already. */
  readonly wrong: Set<Column>
  /** Its existing or reserved id. */
  id: number
  isNew: boolean
  /** Whether a user has changed or removed it, by its history. */
  isChangedByPeople: boolean
  /** Whether a user removed it, so that it is not inserted again. */
  isRemovedByPeople: boolean
}
