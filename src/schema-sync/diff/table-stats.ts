/** Data about the rows that decides on a change: how many there are, and which block it. */
import type { ColumnSchema, ForeignKeySchema, IndexSchema } from './schema.ts'

/** Values that occur more than once. */
export type Duplicates = {
  readonly count: number
  readonly examples: readonly {
    /** As text, one for each column of the index. */
    readonly values: readonly string[]
    /** Two records that hold them. */
    readonly ids: readonly number[]
  }[]
  /** A statement that finds all. */
  readonly finds: string
}

/** Values that a new type would change. */
export type LossyValues = {
  /** How many would be rounded or cut. */
  readonly cut: number
  /** How many PostgreSQL would reject. */
  readonly refused: number
  /** Up to two of their records. */
  readonly ids: readonly number[]
}

export type TableStats = {
  /** The zone for converting times to days. */
  readonly timeZone: string
  /** For a lossy type change of a column; undefined: unknown. */
  readonly lossyValues: (table: string, column: string) => LossyValues | undefined
  /** Exact up to `maxCounted`, otherwise one more. */
  readonly rowCount: (table: string) => number
  /** Whether a table with a planned slow change has a row. */
  readonly isFilled: (table: string) => boolean
  readonly nullCount: (table: string, column: string) => number
  /** Of a unique index, after all other changes. */
  readonly duplicates: (index: IndexSchema) => Duplicates | undefined
  /** Records with a link to a missing record. */
  readonly orphanCount: (table: string, key: ForeignKeySchema) => number
  /** Whether two defaults of one type are equal, however they are written. */
  readonly isSameDefault: (table: string, desired: ColumnSchema, actual: ColumnSchema) => boolean
}
