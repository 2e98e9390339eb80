/** What stands around every page: navigation at the side, on a phone behind a button, and the page itself. */
import { Outlet } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import type { Entity } from '../api/types.ts'
import { AdminLinks } from '../features/administration/admin-links.tsx'
import { RecordLinks } from '../features/preview/record-links.tsx'
import { openSearch, Palette } from '../features/search/palette.tsx'
import { AwayBanner } from '../features/session/away-banner.tsx'
import { Keyboard } from '../features/session/keyboard.tsx'
import { useLive } from '../features/session/live.ts'
import { changedUserId } from '../features/session/one-user.tsx'
import { useSession } from '../features/session/session.ts'
import { UserMenu } from '../features/session/user-menu.tsx'
import { MenuLinks } from '../features/views/entity-links.tsx'
import { IconButton } from '../parts/button.tsx'
import { menuIcon } from '../parts/icons.tsx'
import { SkipLink } from '../parts/skip-link.tsx'
import { useTexts } from '../texts/texts.ts'
import { KeptPages } from './kept-pages.tsx'
import { BottomBar, WorkLinks } from './work-links.tsx'
import './shell.css'
import { laterPart } from '../parts/later.tsx'

const contentId = 'content'

const SeenAs = laterPart(async () => (await import('../features/session/acting-user.tsx')).SeenAs)

const ChangedUser = laterPart(
  async () => (await import('../features/session/acting-user.tsx')).ChangedUser,
)

export const Shell = (): ReactNode => {
  const texts = useTexts()
  const { config, me } = useSession()
  useLive()
  const side = useRef<HTMLElement>(null)
  return (
    <div className="shell">
      <SkipLink target={contentId} />
      <header className="shell-bar">
        <IconButton
          label={texts.navigation.open}
          icon={menuIcon}
          onClick={() => side.current?.togglePopover()}
        />
        <strong>{config.name}</strong>
      </header>
      <Navigation side={side} />
      <Palette />
      <Keyboard />
      <main id={contentId} className="shell-page" tabIndex={-1}>
        {changedUserId === me.id && <ChangedUser />}
        {me.acting_user && <SeenAs first={me.acting_user} />}
        <AwayBanner />
        <KeptPages />
        <Outlet />
        <RecordLinks />
      </main>
      <BottomBar />
    </div>
  )
}

type NavigationProps = { readonly side: React.RefObject<HTMLElement | null> }

/** The entities that the user may see; those of the service itself stand with its administration, if no group names them. */
const Navigation = ({ side }: NavigationProps): ReactNode => {
  const texts = useTexts()
  const { config, entities } = useSession()
  const shown = [...entities.values()].filter(
    ({ permissions, isHiddenInMenu }) => permissions.read !== false && !isHiddenInMenu,
  )
  const isOfService = ({ isNative, menuGroup }: Entity) => isNative && !menuGroup
  const onFollow = () => side.current?.hidePopover()
  return (
    <nav ref={side} popover="auto" className="shell-side" aria-label={texts.navigation.label}>
      <strong className="shell-name">{config.name}</strong>
      <button
        type="button"
        className="shell-search"
        aria-keyshortcuts="Control+K"
        onClick={() => {
          onFollow()
          openSearch()
        }}
      >
        {texts.navigation.search} <kbd>{texts.keys.names.Ctrl} K</kbd>
      </button>
      <div className="shell-links">
        <WorkLinks onFollow={onFollow} />
        <MenuLinks entities={shown.filter((one) => !isOfService(one))} onFollow={onFollow} />
        <AdminLinks entities={shown.filter(isOfService)} onFollow={onFollow} />
      </div>
      <UserMenu />
    </nav>
  )
}
