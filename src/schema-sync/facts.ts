/** What the rows themselves say about a wished change: how many there are, which stand in its way. */
import type { ColumnSchema, ForeignKeySchema, IndexSchema } from './schema.ts'

/** Values that stand more than once. */
export type Duplicates = {
  readonly count: number
  /** Two records that share one of them. */
  readonly ids: readonly number[]
}

export type Facts = {
  readonly rowCount: (table: string) => number
  readonly nullCount: (table: string, column: string) => number
  readonly duplicates: (table: string, index: IndexSchema) => Duplicates | undefined
  /** Records whose link leads nowhere. */
  readonly orphanCount: (table: string, key: ForeignKeySchema) => number
  /** Whether two defaults of one type mean the same, however they are spelled. */
  readonly isSameDefault: (table: string, wish: ColumnSchema, known: ColumnSchema) => boolean
}
