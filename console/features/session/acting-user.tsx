/** During development: acting as another user, and the notes about it in every window of the browser. */
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { request, urlOf } from '../../api/client.ts'
import type { SwitchUser } from '../../api/own/session.ts'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { Command, linkCommand } from './command.tsx'
import { setChangedHere } from './one-user.tsx'
import { RoleBesideName } from './user-names.tsx'
import './acting-user.css'
import type { NamedUser } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useSession } from './session.ts'

/** Continues as another user, which only sessions of development may. */
export const useBecome = () =>
  useMutation({
    mutationFn: (userId: number) =>
      request('/console/-/session', { method: 'POST', body: { user_id: userId }, isSignIn: true }),
    onSuccess: () => {
      setChangedHere(true)
      window.location.assign(urlOf('/console'))
    },
  })

/** Acting as another user changes all windows; a command gives two users one window each. */
export const AllWindows = (): ReactNode => {
  const texts = useWorkTexts().seenAs
  return (
    <p>
      {texts.allWindows} <Command words={linkCommand} />
    </p>
  )
}

type DialogProps = { readonly users: readonly SwitchUser[]; readonly onClose: () => void }

export const BecomeDialog = ({ users, onClose }: DialogProps): ReactNode => {
  const texts = useTexts()
  const become = useBecome()
  return (
    <Dialog title={texts.become.title} onClose={onClose}>
      {become.error && <p role="alert">{become.error.message}</p>}
      <AllWindows />
      <ul className="become-list">
        {users.map((user) => (
          <li key={user.id}>
            <button
              type="button"
              className="button"
              data-look="quiet"
              onClick={() => become.mutate(user.id)}
            >
              <span dir="auto">{user.full_name}</span> <RoleBesideName user={user} />
            </button>
          </li>
        ))}
      </ul>
      <DialogActions onCancel={onClose} />
    </Dialog>
  )
}

/** The acting user, with the way back to `first`, who signed in. */
export const SeenAs = ({ first }: { readonly first: NamedUser }): ReactNode => {
  const texts = useWorkTexts().seenAs
  const { me } = useSession()
  const become = useBecome()
  return (
    <section className="seen-as" aria-label={texts.title}>
      <p>
        {texts.as} <strong dir="auto">{me.full_name ?? me.id}</strong> <RoleBesideName user={me} />
      </p>
      {become.error && <p role="alert">{become.error.message}</p>}
      <Button disabled={become.isPending} onClick={() => become.mutate(first.id)}>
        {texts.backTo} <bdi>{first.full_name ?? first.id}</bdi>
      </Button>
    </section>
  )
}

/** Another window of the browser has changed the user of this one; shown until it is closed. */
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
