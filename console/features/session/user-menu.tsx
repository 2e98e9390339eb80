/** Who is signed in, with the theme, the language and the way out. */

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { send, urlOf } from '../../api/client.ts'
import { sessionQuery } from '../../api/queries.ts'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { languages, useTexts } from '../../texts/texts.ts'
import { Keys } from '../keys/keyboard.tsx'
import { themes } from '../settings/preferences.ts'
import { useConsoleSettings } from '../settings/use-console-settings.ts'
import { BecomeDialog } from './become-dialog.tsx'
import { useSession } from './session.ts'
import './user-menu.css'

/** At the provider too, if it has a page for that. */
const signOut = async (): Promise<void> => {
  const { headers } = await send('/console/-/session', { method: 'DELETE' })
  window.location.assign(headers.get('End-Session-Address') ?? urlOf('/console'))
}

export const UserMenu = (): ReactNode => {
  const texts = useTexts()
  const { me, preferences } = useSession()
  const { change } = useConsoleSettings()
  const { navigation } = texts
  const language = document.documentElement.lang
  const session = useQuery(sessionQuery)
  const [isChoosing, setIsChoosing] = useState(false)
  const [isListing, setIsListing] = useState(false)
  const users = session.data?.users ?? []
  const items: readonly MenuItem[] = [
    ...themes.map((theme) => ({
      label: `${navigation.theme}: ${navigation.themes[theme]}`,
      isChecked: theme === preferences.theme,
      onSelect: () => change({ theme }),
    })),
    ...Object.entries(languages).map(([key, { name }]) => ({
      label: name,
      isChecked: key === language,
      onSelect: () => change({ language: key }),
    })),
    ...(users.length > 0
      ? [{ label: texts.signIn.become, onSelect: () => setIsChoosing(true) }]
      : []),
    { label: texts.keys.title, onSelect: () => setIsListing(true) },
    { label: texts.common.signOut, onSelect: () => void signOut() },
  ]
  return (
    <div className="user-menu">
      <Menu label={me.full_name ?? me.role} look="quiet" items={items} face={<Face />} />
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
      <small dir="auto">{me.role}</small>
    </span>
  )
}
