/** Says next to a calculated value that it follows from what is saved, not from what is being entered. */
import type { ReactNode } from 'react'
import { useWorkTexts } from '../../texts/texts.ts'
import './values.css'

// A clock, where there is no room for words.
const clock = (
  <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    <path
      d="M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M8 4.8V8l2.3 1.6"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
    />
  </svg>
)

export const OutdatedMark = ({ isShort = false }: { readonly isShort?: boolean }): ReactNode => {
  const { whenSaved } = useWorkTexts().values
  if (!isShort) return <small className="outdated-mark"> {whenSaved}</small>
  return (
    <span className="outdated-mark" role="img" aria-label={whenSaved} title={whenSaved}>
      {clock}
    </span>
  )
}
