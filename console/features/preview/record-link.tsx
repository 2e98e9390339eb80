/** A link to a record, with a look at it for whoever rests on the link or comes to it by keys. */
import { Link } from '@tanstack/react-router'
import {
  type KeyboardEvent,
  lazy,
  type PointerEvent,
  type ReactNode,
  Suspense,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { ListPlaceContext } from '../neighbours/list-place.ts'

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

/** Whether the look is shown: some time after the pointer or the focus came, until both are gone. */
const useRest = () => {
  const [isShown, setIsShown] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const end = () => {
    clearTimeout(timer.current)
    setIsShown(false)
  }
  const begin = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setIsShown(true), restMs)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return { isShown, begin, end }
}

export const RecordLink = (props: LinkProps): ReactNode => {
  const { entity, id, children, label, className, tabIndex } = props
  const { isShown, begin, end } = useRest()
  const findPlace = use(ListPlaceContext)
  const popover = useId()
  const anchor = `--${popover.replaceAll(/\W/g, '')}`
  return (
    // The handlers only show a look at where the link leads; the link itself does what it says.
    // biome-ignore lint/a11y/noStaticElementInteractions: the link inside has the focus and the keys
    <span
      className="record-link"
      onPointerEnter={({ pointerType }: PointerEvent) => pointerType === 'mouse' && begin()}
      onPointerLeave={end}
      onFocus={begin}
      onBlur={end}
      onKeyDown={({ key }: KeyboardEvent) => key === 'Escape' && end()}
    >
      <Link
        to="/$entity/$id"
        params={{ entity, id: `${id}` }}
        dir="auto"
        {...{ className, tabIndex }}
        {...(label !== undefined && { 'aria-label': label })}
        {...(isShown && { 'aria-describedby': popover })}
        state={(before) => ({ ...before, place: findPlace(entity, id) })}
        style={{ anchorName: anchor }}
      >
        {children}
      </Link>
      {isShown && (
        <Suspense>
          <RecordPreview {...{ entity, id, anchor }} elementId={popover} />
        </Suspense>
      )}
    </span>
  )
}
