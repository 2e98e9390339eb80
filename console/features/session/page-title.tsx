/** The title of the browser's tab: what the page shows, then the service, and in front how much is new in the inbox. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useLayoutEffect } from 'react'
import { unseenQuery } from '../../api/queries.ts'
import { useSession } from './session.ts'

const mostUnseen = 99

/** Its text, of what is shown and what that belongs to. */
export const titleOf = (parts: readonly string[], unseen: number): string => {
  const text = parts.join(' · ')
  if (unseen === 0) return text
  return `(${unseen > mostUnseen ? `${mostUnseen}+` : unseen}) ${text}`
}

/** A sentence as a title. */
export const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')

/**
 * Gives the tab its title before the page gets the focus, so that screen readers read the title of this page. A page
 * that is kept or rendered ahead has no effects, so it changes nothing.
 */
export const useTitle = (title: string | undefined): void =>
  useLayoutEffect(() => {
    if (title !== undefined && document.title !== title) document.title = title
  }, [title])

type TitleProps = {
  /** What the page shows, and what that belongs to; undefined until that is known: the title stays. */
  readonly of: readonly string[] | undefined
}

/** The title of a page, on its own: the page is not rendered again when something new is in the inbox. */
export const PageTitle = ({ of }: TitleProps): ReactNode => {
  const { config } = useSession()
  // The navigation requests the number.
  const { data: unseen = 0 } = useQuery({ ...unseenQuery, enabled: false })
  useTitle(of && titleOf([...of, config.name], unseen))
  return null
}

type HeadingProps = {
  readonly title: string
  /** What the page belongs to, which stands above its heading. */
  readonly within?: string
}

/** The heading of a page, which is its title too. */
export const PageHeading = ({ title, within }: HeadingProps): ReactNode => (
  <>
    <PageTitle of={within === undefined ? [title] : [title, within]} />
    <h1 dir="auto">{title}</h1>
  </>
)
