/** Hides the queue, so that a record and its document have the room, and shows it again. The service keeps the choice. */
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'

const setting = 'approvalsHidden'

/** Whether the user has hidden the queue; only where it stands beside a record. */
export const useHiddenQueue = (isWide: boolean) => {
  const { settings, change } = useConsoleSettings()
  const isHidden = settings[setting] === true
  return {
    isHidden: isWide && isHidden,
    toggle: isWide ? () => change({ [setting]: isHidden ? null : true }) : undefined,
  }
}

type ToggleProps = ReturnType<typeof useHiddenQueue>

export const QueueToggle = ({ isHidden, toggle }: ToggleProps): ReactNode => {
  const texts = useWorkTexts().approvals
  return (
    toggle && (
      <Button look="quiet" aria-expanded={!isHidden} onClick={toggle}>
        {isHidden ? texts.showQueue : texts.hideQueue}
      </Button>
    )
  )
}
