/** What the rows themselves say about a wished change: how many there are, which stand in its way. */
import type { ColumnSchema, ForeignKeySchema, IndexSchema } from './schema.ts'

/** Values that stand more than once. */
export type Duplicates = {
  readonly count: number
  /** Two records that share one of them. */
  readonly ids: readonly number[]
}

/** Values that another type would change. */
export type Suffering = {
  /** How many would be rounded or cut. */
  readonly cut: number
  /** How many PostgreSQL would refuse. */
  readonly refused: number
  /** Up to two of their records. */
  readonly ids: readonly number[]
}

export type Facts = {
  /** The zone in which a moment has a day. */
  readonly timeZone: string
  /** Of a column that changes its type so that values could suffer; undefined: nobody can tell. */
  readonly suffering: (table: string, column: string) => Suffering | undefined
  /** Exact up to `mostCounted`; beyond it one more. */
  readonly rowCount: (table: string) => number
  /** Whether a table that a slow change is wished for has a row. */
  readonly isFilled: (table: string) => boolean
  readonly nullCount: (table: string, column: string) => number
  readonly duplicates: (table: string, index: IndexSchema) => Duplicates | undefined
  /** Records whose link leads nowhere. */
  readonly orphanCount: (table: string, key: ForeignKeySchema) => number
  /** Whether two defaults of one type mean the same, however they are spelled. */
  readonly isSameDefault: (table: string, wish: ColumnSchema, known: ColumnSchema) => boolean
}
