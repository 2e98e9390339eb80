/** Sums of the records that match, together or by group, as the service adds them up: exact, as text. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AggregateName } from '../../src/query/criteria/aggregates.ts'
import type { FoundPage, GroupTotals, Totals } from '../../src/records/read-endpoints.ts'
import { searchRecords } from './client.ts'
import { userKey } from './queries.ts'
import type { Criteria } from './types.ts'

export type { AggregateName }
export const aggregates: readonly AggregateName[] = ['sum', 'avg', 'min', 'max']

export type { Totals }
export type Group = GroupTotals

type Matching = Pick<Criteria, '$where' | '$search'>

type Wanted = {
  readonly entity: string
  readonly criteria: Matching
  /** The column that is added up; without it records are only counted. */
  readonly path: string | undefined
}

const search = <T>({ entity, criteria }: Wanted, body: object, signal: AbortSignal): Promise<T> =>
  searchRecords(entity, { ...criteria, $select: ['id'], ...body }, { limit: 1, signal })

type GroupAnswer = Required<Pick<FoundPage, 'groups' | 'groupsAreComplete'>>

/** Totals of the records of one unit. */
export type UnitTotals = Totals & { readonly unit?: unknown }
export type TotalsByUnit = { readonly totals: readonly UnitTotals[]; readonly isComplete: boolean }

/** For each value of the path that names the unit; together where all records have the same. */
export const totalsQuery = (
  wanted: Wanted & { readonly path: string },
  unitPath: string | undefined,
) =>
  queryOptions({
    queryKey: [userKey, 'list', wanted.entity, 'totals', wanted.criteria, wanted.path, unitPath],
    queryFn: async ({ signal }): Promise<TotalsByUnit> => {
      const $aggregate = Object.fromEntries(aggregates.map((name) => [name, [wanted.path]]))
      if (unitPath === undefined) {
        const { aggregate } = await search<{ aggregate: Totals }>(wanted, { $aggregate }, signal)
        return { totals: [aggregate], isComplete: true }
      }
      const body = { $aggregate, $group: [unitPath] }
      const { groups, groupsAreComplete } = await search<GroupAnswer>(wanted, body, signal)
      const totals = groups.map(({ key, ...rest }) => ({ ...rest, unit: key[unitPath] }))
      return {
        totals: totals.length > 0 ? totals : [{ count: 0 }],
        isComplete: groupsAreComplete,
      }
    },
    placeholderData: keepPreviousData,
  })

/** By the values of paths, with the sum of a column. */
export const groupsQuery = (wanted: Wanted, paths: readonly string[]) =>
  queryOptions({
    queryKey: [userKey, 'list', wanted.entity, 'groups', wanted.criteria, wanted.path, paths],
    queryFn: ({ signal }) => {
      const $aggregate = wanted.path === undefined ? undefined : { sum: [wanted.path] }
      return search<GroupAnswer>(wanted, { $group: paths, $aggregate }, signal)
    },
    placeholderData: keepPreviousData,
  })
