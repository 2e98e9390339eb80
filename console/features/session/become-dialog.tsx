/** During development: the console as another user sees it. */
import type { ReactNode } from 'react'
import type { SwitchUser } from '../../api/own/session.ts'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import { AllWindows } from './all-windows.tsx'
import { RoleBesideName } from './role-beside-name.tsx'
import { useBecome } from './use-become.ts'
import './become-dialog.css'

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
