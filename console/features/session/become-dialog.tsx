/** During development: the console as another user sees it. */
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { request, urlOf } from '../../api/client.ts'
import type { SwitchUser } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import './become-dialog.css'

type DialogProps = { readonly users: readonly SwitchUser[]; readonly onClose: () => void }

export const BecomeDialog = ({ users, onClose }: DialogProps): ReactNode => {
  const { signIn } = useTexts()
  const become = useMutation({
    mutationFn: (id: number) =>
      request('/console/-/session', { method: 'POST', body: { user_id: id }, isSignIn: true }),
    onSuccess: () => window.location.assign(urlOf('/console')),
  })
  return (
    <Dialog title={signIn.become} onClose={onClose}>
      {become.error && <p role="alert">{become.error.message}</p>}
      <ul className="become-list">
        {users.map(({ id, full_name: name, role }) => (
          <li key={id}>
            <button
              type="button"
              className="button"
              data-look="quiet"
              onClick={() => become.mutate(id)}
            >
              <span dir="auto">{name}</span> <small dir="auto">{role}</small>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
