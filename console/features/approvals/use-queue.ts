/** Where somebody is in the queue, moved by keys, and what is selected of it. */
import { useState } from 'react'
import type { Approval } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../keys/shortcuts.ts'
import { approvalKey } from './approval-key.ts'

type Chosen = { readonly key: string; readonly at: number }

export const useQueue = (list: readonly Approval[]) => {
  const { approvals: texts } = useTexts()
  const [chosenBefore, setChosen] = useState<Chosen>()
  const [selectedKeys, setSelectedKeys] = useState<ReadonlySet<string>>(new Set())
  const found = list.findIndex((one) => approvalKey(one) === chosenBefore?.key)
  // After a decision the one that came after it opens by itself.
  const at = found >= 0 ? found : Math.min(chosenBefore?.at ?? 0, list.length - 1)
  const chosen = list[at]
  // What is looked at stays, even if another one comes in before it.
  const key = chosen && approvalKey(chosen)
  if (key !== undefined && (key !== chosenBefore?.key || at !== chosenBefore.at))
    setChosen({ key, at })
  const choose = (one: Approval) => setChosen({ key: approvalKey(one), at: list.indexOf(one) })
  const move = (steps: number) => {
    const next = list[Math.max(0, Math.min(at + steps, list.length - 1))]
    if (next) choose(next)
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
    ...{ chosen, choose, toggle },
    selected: list.filter((one) => selectedKeys.has(approvalKey(one))),
    /** Which stay selected, such as those on which nothing could be decided. */
    select: (keys: readonly string[]) => setSelectedKeys(new Set(keys)),
  }
}

export type Queue = ReturnType<typeof useQueue>
