/** Keeps what is typed into a form until it is saved, and offers it again. */
import { useEffect, useEffectEvent, useState } from 'react'
import { forgetDraft, type KeptDraft, keepDraft, readDraft } from '../../api/own/drafts.ts'
import { useSession } from '../session/session.ts'

type Options = {
  /** Of the form; the same when it is opened again. */
  readonly name: string
  /** What is typed now; undefined: nothing that is not saved. */
  readonly current: KeptDraft | undefined
  /** Whether the form can take back what was kept. */
  readonly isReady: boolean
  readonly onRestore: (draft: KeptDraft) => void
}

/** Whether the form shows what was kept, and not what was typed since it was opened. */
export const useKeptDraft = ({ name, current, isReady, onRestore }: Options): boolean => {
  const { id } = useSession().me
  const [isRead, setIsRead] = useState(false)
  const [isRestored, setIsRestored] = useState(false)
  const restore = useEffectEvent((kept: KeptDraft | undefined) => {
    setIsRead(true)
    if (!kept || current) return
    setIsRestored(true)
    onRestore(kept)
  })
  useEffect(() => {
    if (!isReady) return
    let isWanted = true
    void readDraft(id, name).then((kept) => isWanted && restore(kept))
    return () => {
      isWanted = false
    }
  }, [id, name, isReady])
  const text = current && JSON.stringify(current)
  useEffect(() => {
    if (!isRead) return
    if (text !== undefined) void keepDraft(id, name, text)
    else {
      setIsRestored(false)
      void forgetDraft(id, name)
    }
  }, [id, name, text, isRead])
  return isRestored && current !== undefined
}
