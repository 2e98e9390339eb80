/** Icons of one stroke and one size; the text or label next to them says what they mean. */
import type { ReactNode } from 'react'

export const icon = (path: string): ReactNode => (
  <svg
    aria-hidden="true"
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={path} />
  </svg>
)

export const moreIcon = icon('M8 3.5v.01M8 8v.01M8 12.5v.01')
export const pinIcon = icon('M8 1.8l1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.6l-3.8 2 .7-4.3-3.1-3 4.3-.6z')
export const closeIcon = icon('M4 4l8 8M12 4l-8 8')
export const filterIcon = icon('M2.5 4h11M4.5 8h7M6.5 12h3')
export const columnsIcon = icon('M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10')
export const alertIcon = icon('M8 2.5l6 11H2zM8 6.5v3.2M8 11.6v.01')
export const menuIcon = icon('M2.5 4h11M2.5 8h11M2.5 12h11')
export const exportIcon = icon('M8 2.5v7.5M5 7l3 3 3-3M2.5 13.5h11')
export const importIcon = icon('M8 10V2.5M5 5.5l3-3 3 3M2.5 13.5h11')
export const backIcon = icon('M10 3L5 8l5 5')
export const openIcon = icon('M6 3.5h6.5V10M12.5 3.5L4 12')
export const sumIcon = icon('M12 4.5V3H4l4 5-4 5h8v-1.5')
