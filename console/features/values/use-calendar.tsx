/** The calendar of an input of a day or a moment: opened by its button or Alt and Arrow Down, moved through by the arrow keys. */
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Calendar } from './calendar.tsx'
import { addMonths, dayMs, dayOf, isShownYear, localTextOf, timeOf } from './local-text.ts'
import type { TemporalField } from './use-steps.ts'

/** How many days a key leads on, in a page from left to right. */
const daysOf: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
}
const monthsOf: Readonly<Record<string, number>> = { PageUp: -1, PageDown: 1 }

/** Where a key leads from a day; undefined for keys that mean nothing here. */
const movedBy = (key: string, day: number, isMirrored: boolean): number | undefined => {
  const months = monthsOf[key]
  if (months !== undefined) return addMonths(day, months)
  const days = daysOf[key]
  if (days === undefined) return undefined
  return day + days * (isMirrored && Math.abs(days) === 1 ? -dayMs : dayMs)
}

/** Its input keeps the focus; the calendar shows the day at which the keys are, as long as nothing else is typed. */
const useActiveDay = ({ value, today }: TemporalField) => {
  const [state, setState] = useState<{
    /** Of the input when it was set. */
    readonly value: string
    readonly day: number | undefined
  }>()
  const chosen = timeOf(value)
  const usual = dayOf(chosen ?? timeOf(today) ?? Date.now())
  const isMoved = state?.value === value && state.day !== undefined
  return {
    chosen,
    isOpen: state !== undefined,
    active: isMoved ? (state.day ?? usual) : usual,
    open: () => setState({ value, day: undefined }),
    close: () => setState(undefined),
    move: (day: number) => isShownYear(localTextOf(day, false)) && setState({ value, day }),
  }
}

type CalendarField = TemporalField & {
  /** Of a day that has no time yet; undefined: its beginning. */
  readonly usualTime: string | undefined
}

export const useCalendar = (options: CalendarField) => {
  const { input, hasTime, today, usualTime, onChange } = options
  const id = useId()
  const { chosen, isOpen, active, open, close, move } = useActiveDay(options)
  /** The time of the day stays. */
  const choose = (day: number) => {
    close()
    if (chosen === undefined && hasTime && usualTime)
      onChange(`${localTextOf(day, false)}T${usualTime}`)
    else onChange(localTextOf(day + (chosen === undefined ? 0 : chosen - dayOf(chosen)), hasTime))
  }
  const onOpenKey = (event: KeyboardEvent<HTMLInputElement>): boolean => {
    const { key, currentTarget } = event
    const { direction } = getComputedStyle(currentTarget.parentElement ?? currentTarget)
    const moved = movedBy(key, active, direction === 'rtl')
    if (moved !== undefined) move(moved)
    else if (key === 'Enter') choose(active)
    else if (key === 'Escape') close()
    else return false
    event.preventDefault()
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): boolean => {
    const { key, altKey, ctrlKey, metaKey } = event
    if (isOpen) return !altKey && !ctrlKey && !metaKey && onOpenKey(event)
    if (key !== 'ArrowDown' || !altKey) return false
    event.preventDefault()
    open()
    return true
  }
  const view: ReactNode = isOpen && (
    <Calendar
      id={id}
      input={input}
      active={active}
      today={today}
      chosen={chosen === undefined ? undefined : dayOf(chosen)}
      onMove={move}
      onChoose={choose}
    />
  )
  const toggle = () => {
    const { current } = input
    // The keyboard of a phone would stand over the calendar.
    if (current && !isOpen) current.inputMode = 'none'
    current?.focus()
    isOpen ? close() : open()
  }
  const inputProps = {
    ...({ role: 'combobox', 'aria-haspopup': 'grid', 'aria-expanded': isOpen } as const),
    ...(isOpen && {
      'aria-controls': id,
      'aria-activedescendant': `${id}-${active}`,
      inputMode: 'none' as const,
    }),
  }
  return { inputProps, onKeyDown, close, toggle, view }
}
