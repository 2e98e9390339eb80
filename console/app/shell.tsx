/** What stands around every page: navigation at the side, on a phone behind a button, and the page itself. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { type ReactNode, useCallback, useRef, useSyncExternalStore } from 'react'
import { taskCountsQuery } from '../api/own/task-counts.ts'
import { approvalCountQuery, unseenQuery } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { AdminLinks } from '../features/administration/admin-links.tsx'
import { RecordLinks } from '../features/preview/record-links.tsx'
import { openSearch, Palette } from '../features/search/palette.tsx'
import { Keyboard } from '../features/session/keyboard.tsx'
import { useLive } from '../features/session/live.ts'
import { changedUserId } from '../features/session/one-user.tsx'
import { usePages } from '../features/session/pages.ts'
import { mayDecide, useReading, useSession } from '../features/session/session.ts'
import { UserMenu } from '../features/session/user-menu.tsx'
import { MenuLinks } from '../features/views/entity-links.tsx'
import { IconButton } from '../parts/button.tsx'
import { menuIcon } from '../parts/icons.tsx'
import { laterPart } from '../parts/later.tsx'
import { useTexts } from '../texts/texts.ts'
import { KeptPages } from './kept-pages.tsx'
import './shell.css'
import { isServiceAway, watchAvailability } from '../api/availability.ts'

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

// The way to what waits for the user, with the numbers of the service: in the navigation, and at the bottom of a phone.

type Waiting = { readonly count: number; readonly isMore?: boolean; readonly note?: string }

/** What waits on each page, by its address; of tasks only those that are overdue. */
const useWaiting = (): Readonly<Record<string, Waiting>> => {
  const hasApprovals = mayDecide(useSession())
  const { tasks: texts } = useTexts()
  const { timeZone } = useReading()
  const unseen = useQuery(unseenQuery)
  const approvals = useQuery({ ...approvalCountQuery, enabled: hasApprovals })
  const tasks = useQuery(taskCountsQuery(timeZone))
  return {
    '/-/inbox': { count: unseen.data ?? 0 },
    '/-/approvals': {
      count: approvals.data?.count ?? 0,
      isMore: approvals.data?.isCapped ?? false,
    },
    '/-/tasks': { count: tasks.data?.overdue ?? 0, note: texts.overdue },
  }
}

const WorkLinks = ({ onFollow }: { readonly onFollow: () => void }): ReactNode => {
  const pages = usePages('work')
  const waiting = useWaiting()
  return (
    <ul>
      {pages.map(({ to, label }) => (
        <li key={to}>
          <Link
            to={to}
            onClick={onFollow}
            activeOptions={{ exact: true }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {label} <Count {...waiting[to]} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

const Count = ({ count = 0, isMore = false, note }: Partial<Waiting>): ReactNode =>
  count === 0 ? null : (
    <span className="shell-count">
      {isMore ? `${count}+` : count}
      {note !== undefined && <span className="visually-hidden"> {note}</span>}
    </span>
  )

// As many as a phone has room for next to the search.
const shownPages = 3

const BottomBar = (): ReactNode => {
  const { navigation } = useTexts()
  const pages = usePages('work').slice(0, shownPages)
  const waiting = useWaiting()
  return (
    <nav className="bottom-bar" aria-label={navigation.short}>
      {pages.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <span>{label}</span> <Count {...waiting[to]} />
        </Link>
      ))}
      <button type="button" onClick={openSearch}>
        <span>{navigation.search}</span>
      </button>
    </nav>
  )
}

/** The first thing that the Tab key reaches: over the navigation to the content. */
const SkipLink = ({ target }: { readonly target: string }): ReactNode => (
  <a className="skip-link" href={`#${target}`}>
    {useTexts().common.skipToContent}
  </a>
)

/** The note that the service or its database does not answer, as long as reads wait for it. */
const AwayBanner = (): ReactNode => {
  const { problem } = useTexts()
  const client = useQueryClient()
  const subscribe = useCallback(
    (listener: () => void) => watchAvailability(client, listener),
    [client],
  )
  const isAway = useSyncExternalStore(subscribe, () => isServiceAway(client))
  return (
    <div role="status" className="away-banner" hidden={!isAway}>
      {isAway && (
        <>
          <strong>{problem.unreachable}</strong> {problem.unreachableHint}
        </>
      )}
    </div>
  )
}
