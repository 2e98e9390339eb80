/** A list of work with its open item next to it; where there is no room for both, one of them. */
import { useNavigate, useRouter } from '@tanstack/react-router'
import {
  type ReactNode,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { Button } from '../../parts/button.tsx'
import { backIcon } from '../../parts/icons.tsx'
import { useMedia } from '../../parts/use-media.ts'
import { useTexts } from '../../texts/texts.ts'
import './list-and-detail.css'

/** What the address names, at once: keys that follow each other must not wait for a page. */
const useHash = (): string => {
  const { history } = useRouter()
  return useSyncExternalStore(history.subscribe, () => history.location.hash.slice(1))
}

/** Where there is room for one of the two, the list is a page of its own, and so is what is open. */
export const useOpened = () => {
  const opened = useHash()
  const isWide = useMedia('(width >= 960px)')
  const navigate = useNavigate()
  const go = (hash: string, isSamePlace: boolean): void =>
    void navigate({ to: '.', search: true, hash, replace: isSamePlace, hashScrollIntoView: false })
  return {
    opened,
    isWide,
    isListAlone: !isWide && opened === '',
    /** A new entry of the browser's history only where the list is left. */
    open: (key: string) => {
      if (key !== opened) go(key, isWide || opened !== '')
    },
    close: () => go('', true),
  }
}

export type Opened = ReturnType<typeof useOpened>

/** The address names what is shown, also after a decision has led to the next one. */
export const useShown = ({ isListAlone, open }: Opened, key: string | undefined): void => {
  const show = useEffectEvent(open)
  useEffect(() => {
    if (!isListAlone && key !== undefined) show(key)
  }, [isListAlone, key])
}

/** The most that the service gives at once. */
const mostRows = 1000

export type Limit = {
  readonly limit: number
  /** Whether there may be more rows than these, and the service gives more. */
  readonly hasMore: (shown: number) => boolean
  readonly raise: () => void
  readonly reset: () => void
}

export const useLimit = (step: number): Limit => {
  const [limit, setLimit] = useState(step)
  return {
    limit,
    hasMore: (shown) => shown === limit && limit < mostRows,
    raise: () => setLimit(Math.min(limit + step, mostRows)),
    reset: () => setLimit(step),
  }
}

export const MoreWork = ({ limit }: { readonly limit: Limit }): ReactNode => {
  const { common } = useTexts()
  return (
    <Button look="quiet" onClick={limit.raise}>
      {common.more}
    </Button>
  )
}

type Props = {
  readonly place: Opened
  /** What the list is called. */
  readonly title: string
  readonly list: ReactNode
  /** What is open; undefined where nothing is. */
  readonly detail: ReactNode
}

export const ListAndDetail = ({ place, title, list, detail }: Props): ReactNode => {
  if (place.isWide || place.isListAlone || !detail)
    return (
      <div className="work-body" data-panes={place.isWide ? 'two' : 'one'}>
        {list}
        {place.isWide && detail}
      </div>
    )
  return (
    <div className="work-body" data-panes="one">
      <BackBar title={title} onBack={place.close} />
      {detail}
    </div>
  )
}

type BackProps = { readonly title: string; readonly onBack: () => void }

/** The way back to the list. It gets the focus of the item that led here, which is not shown any more. */
const BackBar = ({ title, onBack }: BackProps): ReactNode => {
  const bar = useRef<HTMLDivElement>(null)
  useEffect(() => bar.current?.querySelector('button')?.focus(), [])
  return (
    <div ref={bar} className="work-back">
      <Button look="quiet" onClick={onBack}>
        {backIcon} {title}
      </Button>
    </div>
  )
}
