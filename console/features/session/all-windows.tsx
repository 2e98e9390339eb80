/** Says that acting as somebody else changes all windows, and how two people have one each. */
import type { ReactNode } from 'react'
import { useWorkTexts } from '../../texts/texts.ts'
import { Command, linkCommand } from './command.tsx'

export const AllWindows = (): ReactNode => {
  const texts = useWorkTexts().seenAs
  return (
    <p>
      {texts.allWindows} <Command line={linkCommand} />
    </p>
  )
}
