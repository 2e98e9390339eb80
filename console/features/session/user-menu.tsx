/** Who is signed in, with their settings and the way out. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { send, urlOf } from '../../api/client.ts'
import { forgetDrafts } from '../../api/own/drafts.ts'
import { sessionQuery } from '../../api/own/session.ts'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Keys } from './keyboard.tsx'
import { tellOtherTabs } from './one-user.tsx'
import { usePages } from './pages.ts'
import { useSession } from './session.ts'
import { RoleBesideName } from './user-names.tsx'
import './user-menu.css'
import { laterPart } from '../../parts/later.tsx'
import { useMedia } from '../../parts/use-media.ts'

/**
 * At the provider too, if it has a page for that. What the browser keeps is removed last: if the service is away, the
 * user stays signed in.
 */
const signOut = async (userId: number): Promise<void> => {
  const { headers } = await send('/console/-/session', { method: 'DELETE' })
  await Promise.all([forgetDrafts(userId), removeFiles()])
  tellOtherTabs(null)
  window.location.assign(headers.get('End-Session-Address') ?? urlOf('/console'))
}

/** Few users have any; the next start removes what stays. */
const removeFiles = async (): Promise<void> => {
  const files = await import('../../api/own/export-files.ts').catch(() => undefined)
  await files?.removeExportFiles()
}

const BecomeDialog = laterPart(async () => (await import('./acting-user.tsx')).BecomeDialog)

export const UserMenu = (): ReactNode => {
  const texts = useTexts()
  const { me } = useSession()
  const navigate = useNavigate()
  const pages = usePages('user')
  const session = useQuery(sessionQuery)
  const leave = useMutation({ mutationFn: () => signOut(me.id) })
  const [isChoosing, setIsChoosing] = useState(false)
  const [isListing, setIsListing] = useState(false)
  const hasKeys = useMedia('(width >= 760px)')
  const users = session.data?.users ?? []
  const items: readonly MenuItem[] = [
    ...pages.map(({ label, to }) => ({ label, onSelect: () => void navigate({ to }) })),
    ...(hasKeys ? [{ label: texts.keys.title, onSelect: () => setIsListing(true) }] : []),
    { label: texts.common.signOut, onSelect: () => leave.mutate() },
    // The last item, because it is loaded later and the others must not move.
    ...(users.length > 0
      ? [{ label: texts.become.title, isFirstOfGroup: true, onSelect: () => setIsChoosing(true) }]
      : []),
  ]
  return (
    <div className="user-menu">
      {leave.error && <p role="alert">{leave.error.message}</p>}
      <Menu label={me.full_name ?? me.role_name} look="quiet" items={items} face={<Face />} />
      {isListing && <Keys onClose={() => setIsListing(false)} />}
      {isChoosing && <BecomeDialog users={users} onClose={() => setIsChoosing(false)} />}
    </div>
  )
}

const Face = (): ReactNode => {
  const { me } = useSession()
  return (
    <span className="user-face">
      <span dir="auto">{me.full_name ?? `${me.id}`}</span>
      <RoleBesideName user={me} />
    </span>
  )
}
