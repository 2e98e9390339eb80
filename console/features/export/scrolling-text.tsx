/** Lines that are not wrapped: a field, so that keys reach, scroll and select them. */
import type { ReactNode } from 'react'

type TextProps = { readonly label: string; readonly text: string; readonly rows: number }

export const ScrollingText = ({ label, text, rows }: TextProps): ReactNode => (
  <textarea
    className="export-text"
    readOnly
    wrap="off"
    spellCheck={false}
    dir="auto"
    aria-label={label}
    value={text}
    rows={rows}
  />
)
