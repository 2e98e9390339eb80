/** Changes that the service calculated from other records come in numbers, and say little one by one. */
import type { Entity, HistoryEntry } from '../../api/types.ts'

/** The entries in their order, each run of changes of calculated values alone together. */
export const foldCalculated = (
  entries: readonly HistoryEntry[],
  { fields }: Pick<Entity, 'fields'>,
): readonly (readonly HistoryEntry[])[] => {
  const calculated = new Set(fields.flatMap((field) => (field.isCalculated ? field.column : [])))
  const isCalculated = ({ operation, changes }: HistoryEntry) => {
    const names = Object.keys(changes)
    return operation === 'change' && names.length > 0 && names.every((name) => calculated.has(name))
  }
  return entries.reduce<HistoryEntry[][]>((runs, entry) => {
    const last = runs.at(-1)
    if (last?.every(isCalculated) && isCalculated(entry)) last.push(entry)
    else runs.push([entry])
    return runs
  }, [])
}
