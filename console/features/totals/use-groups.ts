/** The groups of a list with their sums: one for each unit where the numbers have different ones. */
import { useQuery } from '@tanstack/react-query'
import { type Group, groupsQuery } from '../../api/totals.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { formatTotal } from '../grid/totalled.ts'
import { useReading } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'

type Wanted = {
  readonly entity: Entity
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  /** What the records are grouped by; the first path tells groups apart. */
  readonly paths: readonly string[]
  readonly summed: ListColumn | undefined
}

const keyOf = ({ key }: Group, [first = '']: readonly string[]) => JSON.stringify(key[first])

export const useGroups = ({ entity, criteria, paths, summed }: Wanted) => {
  const reading = useReading()
  const unitPath = summed?.unit?.path
  const path = summed?.path
  const wanted = { entity: entity.key, criteria }
  // What is counted together may have several units.
  const together = unitPath === undefined
  const groups = useQuery(groupsQuery({ ...wanted, path: together ? path : undefined }, paths))
  const parted = useQuery({
    ...groupsQuery({ ...wanted, path }, [...new Set([...paths, unitPath ?? ''])]),
    enabled: !together,
  })
  const areSumsComplete = together || parted.data?.groupsAreComplete !== false
  const parts = Map.groupBy((together ? groups.data : parted.data)?.groups ?? [], (group) =>
    keyOf(group, paths),
  )
  // The last group that was read may go on beyond the end.
  if (!areSumsComplete) parts.delete([...parts.keys()].at(-1) ?? '')
  const sumsOf = (group: Group): readonly string[] =>
    (parts.get(keyOf(group, paths)) ?? []).flatMap((part) => {
      const unit = unitPath === undefined ? undefined : part.key[unitPath]
      const text = summed && path ? formatTotal(part.sum?.[path], 'sum', summed, reading, unit) : ''
      return text === '' ? [] : [text]
    })
  return {
    data: groups.data,
    error: groups.error ?? (together ? null : parted.error),
    areSumsComplete,
    sumsOf,
  }
}
