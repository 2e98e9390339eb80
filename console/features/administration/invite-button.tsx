/** Creates a user with a role, and says how the new user signs in. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { roleIdQuery } from '../../api/admin/roles.ts'
import { Button } from '../../parts/button.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { InviteDialog } from './invite-dialog.tsx'

export const InviteButton = ({ role }: { readonly role: string }): ReactNode => {
  const { invite: texts } = useAdminTexts()
  const users = useSession().entities.get('user')
  const roleId = useQuery(roleIdQuery(role)).data
  const [isOpen, setIsOpen] = useState(false)
  if (!users?.permissions.create || typeof roleId !== 'number') return null
  return (
    <>
      <Button look="primary" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {texts.invite}
      </Button>
      {isOpen && <InviteDialog users={users} roleId={roleId} onClose={() => setIsOpen(false)} />}
    </>
  )
}
