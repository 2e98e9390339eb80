/** The columns of an export in their order, changed by dragging, by keys and by buttons (WAI-ARIA listbox). */
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { Button } from '../../../parts/button.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { type ExportColumn, isAmbiguous } from './export-columns.ts'
import { useRowDrag } from './use-row-drag.ts'
import './column-order.css'

type OrderProps = {
  readonly columns: readonly ExportColumn[]
  readonly isDisabled: boolean
  readonly onChange: (paths: readonly string[]) => void
}

/** Which column is chosen, and what becomes of the order. */
const useOrder = ({ columns, isDisabled, onChange }: OrderProps) => {
  const texts = useWorkTexts().export
  const [wanted, setActive] = useState(0)
  const [said, setSaid] = useState('')
  const paths = columns.map(({ path }) => path)
  const last = paths.length - 1
  const active = Math.min(wanted, last)
  const move = (from: number, to: number) => {
    const column = columns[from]
    if (isDisabled || !column || to < 0 || to > last) return
    setActive(to)
    setSaid(texts.moved(column.label, to + 1, paths.length))
    onChange(paths.toSpliced(from, 1).toSpliced(to, 0, column.path))
  }
  const remove = (at: number) => {
    const column = columns[at]
    if (isDisabled || !column || last === 0) return
    setSaid(texts.removed(column.label))
    onChange(paths.toSpliced(at, 1))
  }
  return { active, last, said, setActive, move, remove }
}

/** Where a key leads in the list. */
const nextOf = (key: string, active: number, last: number): number | undefined => {
  if (key === 'ArrowUp') return Math.max(active - 1, 0)
  if (key === 'ArrowDown') return Math.min(active + 1, last)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

export const ColumnOrder = (props: OrderProps): ReactNode => {
  const { columns, isDisabled } = props
  const texts = useWorkTexts().export
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const { active, last, said, setActive, move, remove } = useOrder(props)
  const show = (at: number) => {
    setActive(at)
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextOf(event.key, active, last)
    if (next !== undefined) event.altKey ? move(active, next) : show(next)
    else if (event.key === 'Delete') remove(active)
    else return
    event.preventDefault()
  }
  return (
    <div className="column-order">
      <div
        ref={list}
        role="listbox"
        tabIndex={0}
        aria-label={texts.order}
        aria-describedby={`${id}-hint`}
        aria-activedescendant={`${id}-${active}`}
        onKeyDown={onKeyDown}
      >
        <Options
          id={id}
          columns={columns}
          active={active}
          setActive={setActive}
          remove={remove}
          move={move}
        />
      </div>
      <p id={`${id}-hint`}>{texts.orderHint}</p>
      <div className="column-order-buttons">
        <Button disabled={isDisabled || active === 0} onClick={() => move(active, active - 1)}>
          {texts.up}
        </Button>
        <Button disabled={isDisabled || active === last} onClick={() => move(active, active + 1)}>
          {texts.down}
        </Button>
        <Button disabled={isDisabled || last === 0} onClick={() => remove(active)}>
          {texts.remove}
        </Button>
      </div>
      <p role="status" className="visually-hidden">
        {said}
      </p>
    </div>
  )
}

type OptionsProps = Pick<OrderProps, 'columns'> &
  Pick<ReturnType<typeof useOrder>, 'active' | 'setActive' | 'move' | 'remove'> & {
    readonly id: string
  }

/** The keys of the list do all that the grip and the cross of an option do. */
const Options = ({ id, columns, active, setActive, remove, move }: OptionsProps): ReactNode => {
  const { drag, gripOf } = useRowDrag(move)
  const gapOf = (at: number) => {
    if (drag?.to === at) return 'before'
    return drag?.to === columns.length && at === columns.length - 1 ? 'after' : undefined
  }
  return columns.map(({ path, label }, at) => (
    <div
      key={path}
      id={`${id}-${at}`}
      role="option"
      tabIndex={-1}
      aria-selected={at === active}
      data-gap={gapOf(at)}
      data-dragged={drag?.from === at || undefined}
      onPointerDown={() => setActive(at)}
    >
      <span aria-hidden="true" className="column-grip" {...gripOf(at)}>
        ⠿
      </span>
      <span dir="auto" title={path}>
        {label}
      </span>
      {isAmbiguous(columns, label) && <small dir="ltr">{path}</small>}
      {columns.length > 1 && (
        <span aria-hidden="true" className="column-cross" onPointerUp={() => remove(at)}>
          ×
        </span>
      )}
    </div>
  ))
}
