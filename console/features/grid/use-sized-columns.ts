/** How wide the texts of columns are, so that each column has the room that it needs. */
import { useMemo, useState } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { useReading } from '../session/session.ts'
import { type ListColumn, textAt } from '../values/columns.ts'
import { widestOf } from './text-width.ts'

const sampledRows = 20
// No column shows more of one.
const longestText = 80

// Of heads, as their style has it.
const headWeight = 550
const headSize = 12.5

/** Heads have two lines, and no word is broken between them. */
const wordWidthOf = ({ label }: ListColumn): number =>
  widestOf(label.split(/[\s-]/), headWeight, headSize)

type Known = {
  readonly entity: string
  /** In pixels, by the path of the column. */
  readonly widths: Readonly<Record<string, number>>
}

/** By the first rows that were there; widths do not change while a list is sorted, filtered or moved through. */
export const useSizedColumns = (
  { key, workflow }: Entity,
  columns: readonly ListColumn[],
  rowAt: (index: number) => ListRow | undefined,
): readonly ListColumn[] => {
  const reading = useReading()
  const [known, setKnown] = useState<Known>({ entity: key, widths: {} })
  const before = known.entity === key ? known.widths : {}
  const isNew = rowAt(0) !== undefined && columns.some(({ path }) => !(path in before))
  if (isNew) {
    const rows = Array.from({ length: sampledRows }, (_, at) => rowAt(at) ?? []).flat()
    const textsOf = (column: ListColumn): readonly string[] =>
      column.path === '_step'
        ? (workflow?.steps ?? []).map((step) => step.name ?? step.key)
        : rows.map((row) => textAt(row, column, reading).slice(0, longestText))
    const read = Object.fromEntries(columns.map((one) => [one.path, widestOf(textsOf(one))]))
    setKnown({ entity: key, widths: { ...read, ...before } })
  }
  const { widths } = known
  return useMemo(
    () =>
      columns.map((one) => ({
        ...one,
        textWidth: widths[one.path],
        wordWidth: wordWidthOf(one),
      })),
    [columns, widths],
  )
}
