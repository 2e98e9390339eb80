/** What is selected and can be tried again, and what became of it. */
import type { ReactNode } from 'react'
import type { Retried } from '../../api/admin/deliveries.ts'
import { Button } from '../../parts/button.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './again-bar.css'

type BarProps = {
  readonly selected: number
  /** How many there are of the status that the list shows; undefined where not all can be tried again. */
  readonly all: number | undefined
  readonly isPending: boolean
  readonly result: Retried | undefined
  readonly error: Error | null
  readonly onSelected: () => void
  readonly onAll: () => void
  readonly onClear: () => void
  /** Further actions on what is selected. */
  readonly children?: ReactNode
}

export const AgainBar = (props: BarProps): ReactNode => {
  const { selected, all = 0, isPending, result, error } = props
  const texts = useAdminTexts()
  return (
    <div className="again-bar">
      <div role="status">
        {selected > 0 ? texts.selected(selected) : result && <Result result={result} />}
      </div>
      {error && <p role="alert">{error.message}</p>}
      {selected > 0 && (
        <>
          <Button look="quiet" onClick={props.onClear}>
            {texts.clearSelection}
          </Button>
          {props.children}
          <Button look="primary" disabled={isPending} onClick={props.onSelected}>
            {texts.again}
          </Button>
        </>
      )}
      {selected === 0 && all > 0 && (
        <Button disabled={isPending} onClick={props.onAll}>
          {texts.againAll(all)}
        </Button>
      )}
    </div>
  )
}

const Result = ({ result: { data, hasMore } }: { readonly result: Retried }): ReactNode => {
  const texts = useAdminTexts()
  const queued = data.filter(({ result }) => result === 'queued').length
  const others = data.length - queued
  return (
    <>
      {texts.queued(queued)} {others > 0 && texts.notQueued(others)} {hasMore && texts.moreMatch}
    </>
  )
}
