/** Says that another window of the browser has changed the user of this one, until it is closed. */
import { type ReactNode, useRef, useState } from 'react'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { useSession } from './session.ts'
import './changed-user.css'

export const ChangedUser = (): ReactNode => {
  const { common } = useTexts()
  const texts = useWorkTexts().seenAs
  const { me } = useSession()
  const [isOpen, setIsOpen] = useState(true)
  const note = useRef<HTMLDivElement>(null)
  if (!isOpen) return null
  const say = me.acting_user ? texts.actsNow : texts.signedInNow
  const close = () => {
    // What had the focus is gone.
    note.current?.closest('main')?.focus()
    setIsOpen(false)
  }
  return (
    <div ref={note} className="changed-user">
      <p role="alert">{say(me.full_name ?? `${me.id}`)}</p>
      <IconButton label={common.close} icon={closeIcon} onClick={close} />
    </div>
  )
}
