/** On a phone: what one comes for, in reach of the thumb. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { openSearch } from '../features/search/palette.tsx'
import { usePages } from '../features/session/pages.ts'
import { useTexts } from '../texts/texts.ts'
import { Count, useWaiting } from './work-links.tsx'
import './bottom-bar.css'

// As many as a phone has room for, beside the search.
const shownPages = 3

export const BottomBar = (): ReactNode => {
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
