/** The first thing that the Tab key reaches: over the navigation to the content. */
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.ts'
import './skip-link.css'

export const SkipLink = ({ target }: { readonly target: string }): ReactNode => (
  <a className="skip-link" href={`#${target}`}>
    {useTexts().common.skipToContent}
  </a>
)
