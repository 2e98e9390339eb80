/** Links of a page for an address that leads to no record: the first page, and the search. */
import { Link, Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import { hasSignedInHere } from '../session/signed-in-at.ts'
import { openSearch } from './palette.tsx'
import './search.css'

export const WayOn = (): ReactNode => {
  const { day, palette } = useTexts()
  // The address was left there by another user.
  if (hasSignedInHere()) return <Navigate to="/" replace />
  return (
    <p className="note-actions">
      <Link to="/" className="button" data-look="plain">
        {day.title}
      </Link>
      <Button onClick={openSearch}>{palette.title}</Button>
    </p>
  )
}
