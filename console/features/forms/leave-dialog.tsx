/** Asks whoever leaves a page with changes that are not saved. */
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'

type LeaveProps = {
  /** Asked at the moment of leaving. */
  readonly isUnsaved: () => boolean
  readonly onDiscard: () => void
}

export const LeaveDialog = ({ isUnsaved, onDiscard }: LeaveProps): ReactNode => {
  const { record } = useTexts()
  const texts = useRecordPageTexts()
  const blocker = useBlocker({
    // Another part of the same page keeps the form.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    // What is kept survives that the page is closed.
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const { proceed, reset } = blocker
  const discard = () => {
    onDiscard()
    proceed()
  }
  return (
    <Dialog title={texts.leaveTitle} onClose={reset}>
      <p>{texts.leaveHelp}</p>
      <div className="dialog-actions">
        <Button look="danger" onClick={discard}>
          {record.discard}
        </Button>
        <Button onClick={proceed}>{texts.keepAndLeave}</Button>
        <Button look="primary" onClick={reset}>
          {texts.stay}
        </Button>
      </div>
    </Dialog>
  )
}
