/** A link to a record, with a look at it for whoever rests on the link or comes to it by keys. */
import { useRouter } from '@tanstack/react-router'
import {
  type KeyboardEvent,
  lazy,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  Suspense,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { urlOf } from '../../api/client.ts'
import { ListPlaceContext } from '../neighbours/list-place.ts'
import { prepareToOpen } from './to-be-opened.ts'

const RecordPreview = lazy(async () => ({
  default: (await import('./record-preview.tsx')).RecordPreview,
}))

type LinkProps = {
  readonly entity: string
  readonly id: number
  readonly children: ReactNode
  /** What it is called, where its content says nothing. */
  readonly label?: string
  readonly className?: string
  readonly tabIndex?: number
}

// Whoever only passes by wants no look.
const restMs = 350

/**
 * Whether the look is shown: some time after the pointer or the focus came, until both are gone. `onBegin` is told how to find out
 * whether they are still there.
 */
const useRest = (onBegin: (isThere: () => boolean) => void) => {
  const [isShown, setIsShown] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isThere = useRef(false)
  const end = () => {
    isThere.current = false
    clearTimeout(timer.current)
    setIsShown(false)
  }
  const begin = () => {
    isThere.current = true
    onBegin(() => isThere.current)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setIsShown(true), restMs)
  }
  useEffect(
    () => () => {
      isThere.current = false
      clearTimeout(timer.current)
      // The page may be kept, and is shown again without it.
      setIsShown(false)
    },
    [],
  )
  return { isShown, begin, end }
}

/** Where a link leads, how it is followed, and read before that. The router's own link costs a list half of its frames. */
const useTarget = ({ entity, id }: LinkProps) => {
  const router = useRouter()
  const findPlace = use(ListPlaceContext)
  const target = { to: '/$entity/$id', params: { entity, id: `${id}` } } as const
  return {
    href: urlOf(`/console/${entity}/${id}`),
    // What cannot be read now is read, or explained, when the link is followed. Links that the pointer has left meanwhile
    // are not prepared: a list that is scrolled moves many under it.
    preload: (isThere: () => boolean) =>
      void router
        .preloadRoute(target)
        .then(() => isThere() && prepareToOpen(target.params))
        .catch(() => undefined),
    follow: (event: MouseEvent) => {
      const { button, ctrlKey, metaKey, shiftKey, altKey } = event
      // Another tab or window is for the browser to open.
      if (event.defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return
      event.preventDefault()
      const place = findPlace(entity, id)
      void router.navigate({ ...target, state: (before) => ({ ...before, place }) })
    },
  }
}

export const RecordLink = (props: LinkProps): ReactNode => {
  const { entity, id, children, label, className, tabIndex } = props
  const { href, preload, follow } = useTarget(props)
  const { isShown, begin, end } = useRest(preload)
  const popover = useId()
  const anchor = `--${popover.replaceAll(/\W/g, '')}`
  return (
    // The handlers only show a look at where the link leads; the link itself does what it says.
    // biome-ignore lint/a11y/noStaticElementInteractions: the link inside has the focus and the keys
    <span
      className="record-link"
      onPointerEnter={({ pointerType }: PointerEvent) => pointerType === 'mouse' && begin()}
      onPointerLeave={end}
      onTouchStart={() => preload(() => true)}
      onFocus={begin}
      onBlur={end}
      onKeyDown={({ key }: KeyboardEvent) => key === 'Escape' && end()}
    >
      <a
        href={href}
        onClick={follow}
        dir="auto"
        {...{ className, tabIndex }}
        {...(label !== undefined && { 'aria-label': label })}
        {...(isShown && { 'aria-describedby': popover })}
        style={isShown ? { anchorName: anchor } : undefined}
      >
        {children}
      </a>
      {isShown && (
        <Suspense>
          <RecordPreview {...{ entity, id, anchor }} elementId={popover} />
        </Suspense>
      )}
    </span>
  )
}
