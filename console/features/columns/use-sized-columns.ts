/** How long the texts of columns are, so that each column has the room that it needs. */
import { useMemo, useState } from 'react'
import type { ListRow } from '../../api/rows.ts'
import type { Entity } from '../../api/types.ts'
import type { ListColumn } from '../list/columns.ts'
import { valueAt } from '../values/format-value.ts'

const sampledRows = 20

type Known = {
  readonly entity: string
  /** In characters, by the path of the column. */
  readonly lengths: Readonly<Record<string, number>>
}

/** By the first rows that were there; widths do not change while a list is sorted, filtered or moved through. */
export const useSizedColumns = (
  { key, workflow }: Entity,
  columns: readonly ListColumn[],
  rowAt: (index: number) => ListRow | undefined,
): readonly ListColumn[] => {
  const [known, setKnown] = useState<Known>({ entity: key, lengths: {} })
  const before = known.entity === key ? known.lengths : {}
  const isNew = rowAt(0) !== undefined && columns.some(({ path }) => !(path in before))
  if (isNew) {
    const rows = Array.from({ length: sampledRows }, (_, at) => rowAt(at) ?? []).flat()
    const lengthOf = ({ path, place }: ListColumn): number => {
      const texts =
        path === '_step'
          ? (workflow?.steps ?? []).map((step) => step.name ?? step.key)
          : rows.map((row) => String(valueAt(row, place) ?? ''))
      return Math.max(0, ...texts.map(({ length }) => length))
    }
    const read = Object.fromEntries(columns.map((one) => [one.path, lengthOf(one)]))
    setKnown({ entity: key, lengths: { ...read, ...before } })
  }
  const { lengths } = known
  return useMemo(
    () => columns.map((one) => ({ ...one, length: lengths[one.path] })),
    [columns, lengths],
  )
}
