/** A list of work with what is open of it beside it; where there is no room for both, one of them. */
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../parts/button.tsx'
import { backIcon } from '../../parts/icons.tsx'
import type { Opened } from './opened.ts'
import './list-and-detail.css'

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
