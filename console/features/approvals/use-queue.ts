/** Where somebody is in the queue, moved by keys, and what is selected of it. */
import { useState } from 'react'
import type { Approval } from '../../api/open-actions.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { type Opened, useShown } from '../session/opened.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { approvalKey } from './approval-key.ts'

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
