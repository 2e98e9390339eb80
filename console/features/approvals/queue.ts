/** The approvals of a user as a queue: which is open, which are selected, and what their records are called. */
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Approval } from '../../api/open-actions.ts'
import { summariesQuery } from '../../api/records/approvals.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { preloadRecord } from '../record/read-record.ts'
import { type Opened, useShown } from '../session/list-and-detail.tsx'
import { useReading, useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { type Entities, type ListColumn, pathsOf, textAt } from '../values/columns.ts'
import { mainColumns } from '../values/main-columns.ts'

export const approvalKey = ({ entity, id }: Pick<Approval, 'entity' | 'id'>): string =>
  `${entity}/${id}`

/** What records of one entity match. */
export const criteriaOf = (list: readonly Pick<Approval, 'id'>[]) => ({
  $where: { id: { $in: list.map(({ id }) => id) } },
})

export const useQueue = (list: readonly Approval[], place: Opened) => {
  const texts = useWorkTexts().approvals
  const { opened, isListAlone, open } = place
  const [lastAt, setLastAt] = useState(0)
  const [selectedKeys, setSelectedKeys] = useState<ReadonlySet<string>>(new Set())
  const found = list.findIndex((one) => approvalKey(one) === opened)
  // After a decision the one that came after it opens by itself.
  const at = found >= 0 ? found : Math.min(lastAt, list.length - 1)
  if (at !== lastAt) setLastAt(at)
  const chosen = list[at]
  // What is looked at stays, even if another one comes in before it.
  useShown(place, chosen && approvalKey(chosen))
  const choose = (one: Approval) => open(approvalKey(one))
  const move = (steps: number) => {
    const nextAt = Math.max(0, Math.min(at + steps, list.length - 1))
    const next = list[nextAt]
    if (isListAlone) setLastAt(nextAt)
    else if (next) choose(next)
  }
  const toggle = (one: Approval) => {
    const key = approvalKey(one)
    const next = new Set(selectedKeys)
    if (!next.delete(key)) next.add(key)
    setSelectedKeys(next)
  }
  useShortcuts([
    { keys: 'j', label: texts.next, run: () => move(1) },
    { keys: 'k', label: texts.previous, run: () => move(-1) },
    { keys: 'x', label: texts.selectKey, run: () => chosen && toggle(chosen) },
    // By the item that has the focus.
    { keys: 'Enter', label: texts.openRecord },
  ])
  return {
    chosen,
    choose,
    toggle,
    /** The one before it and the one after it. */
    neighbours: [list[at + 1], list[at - 1]].filter((one) => one !== undefined),
    selected: list.filter((one) => selectedKeys.has(approvalKey(one))),
    /** Which stay selected, such as those on which nothing could be decided. */
    select: (keys: readonly string[]) => setSelectedKeys(new Set(keys)),
  }
}

export type Queue = ReturnType<typeof useQueue>

/** Reads the neighbours of the open approval, so that the next one is there after a decision. */
export const usePreloaded = ({ neighbours, chosen }: Queue): void => {
  const client = useQueryClient()
  const preload = useEffectEvent(() => {
    for (const { entity, id } of neighbours) void preloadRecord(client, { entity, id: `${id}` })
  })
  const key = chosen && approvalKey(chosen)
  useEffect(() => {
    if (key !== undefined) preload()
  }, [key])
}

/** The columns of a summary. */
const columnsOf = (entity: Entity, entities: Entities) => {
  const { title, about, amount } = mainColumns(entity, entities)
  return { title, about, amount }
}

/** Title and person of the record, where it has them; the amount is empty without one. */
export type Summary = { readonly about: readonly string[]; readonly amount: string }

/** Summaries by key of the approval, as far as they are loaded. */
export const useSummaries = (list: readonly Approval[]): ReadonlyMap<string, Summary> => {
  const { entities } = useSession()
  const reading = useReading()
  const client = useQueryClient()
  const groups = [...Map.groupBy(list, ({ entity }) => entity)].flatMap(([key, all]) => {
    const entity = entities.get(key)
    return entity ? [{ key, all, columns: columnsOf(entity, entities) }] : []
  })
  const results = useQueries({
    queries: groups.map(({ key, all, columns }) =>
      summariesQuery(client, {
        entity: key,
        ids: all.map(({ id }) => id),
        paths: Object.values(columns).flatMap((column) => (column ? pathsOf(column) : [])),
      }),
    ),
  })
  const print = (row: RecordRow, column: ListColumn | undefined) =>
    column ? textAt(row, column, reading) : ''
  return new Map(
    groups.flatMap(({ all, columns }, at) =>
      all.flatMap((one) => {
        const row = results[at]?.data?.get(one.id)
        if (!row) return []
        const { title, about, amount } = columns
        const texts = new Set([print(row, title), print(row, about)])
        texts.delete('')
        const summary = { about: [...texts], amount: print(row, amount) }
        return [[approvalKey(one), summary] as const]
      }),
    ),
  )
}
