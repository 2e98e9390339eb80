/** The days of a month, in the language of the page; the keys of its input move through them. */
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button, IconButton } from '../../parts/button.tsx'
import { backIcon } from '../../parts/icons.tsx'
import '../../styles/popover.css'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import './calendar.css'
import { calendarFormats, firstWeekday, todayName } from './day-formatters.ts'
import { addMonths, dayMs, dayOf, isShownYear, localTextOf, timeOf } from './local-text.ts'
import type { TemporalField } from './use-steps.ts'

const weeks = 6
const daysPerWeek = 7

type CalendarProps = {
  readonly id: string
  readonly input: RefObject<HTMLInputElement | null>
  /** Days are the milliseconds of their midnight in UTC. */
  readonly active: number
  readonly chosen: number | undefined
  readonly today: string
  readonly onMove: (day: number) => void
  readonly onChoose: (day: number) => void
}

/** The weeks that hold the month of a day, in whole, always as many. */
const weeksOf = (day: number, firstWeekday: number): readonly (readonly number[])[] => {
  const date = new Date(dayOf(day))
  const first = date.setUTCDate(1)
  const before = (date.getUTCDay() - firstWeekday + daysPerWeek) % daysPerWeek
  const dayAt = (at: number) => first + (at - before) * dayMs
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: daysPerWeek }, (_day, at) => dayAt(week * daysPerWeek + at)),
  )
}

const Calendar = (props: CalendarProps): ReactNode => {
  const { id, input, active, today, onMove, onChoose } = props
  const texts = useWorkTexts().values
  const { locale } = useReading()
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    // The input keeps the focus.
    current.addEventListener('mousedown', (event) => event.preventDefault())
    if (input.current) current.showPopover({ source: input.current })
  }, [input])
  const { month, weekday } = calendarFormats(locale)
  const thisDay = timeOf(today)
  const { firstDayOfWeek } = useSession().config
  const shown = weeksOf(active, firstWeekday(firstDayOfWeek ?? locale))
  return (
    <div ref={element} popover="manual" className="popover calendar">
      <div className="calendar-head">
        <IconButton
          label={texts.previousMonth}
          icon={backIcon}
          tabIndex={-1}
          onClick={() => onMove(addMonths(active, -1))}
        />
        <strong aria-live="polite">{month.format(active)}</strong>
        <IconButton
          label={texts.nextMonth}
          icon={backIcon}
          tabIndex={-1}
          onClick={() => onMove(addMonths(active, 1))}
        />
      </div>
      <div id={id} role="grid" aria-label={month.format(active)} className="calendar-days">
        <div role="row">
          {shown[0]?.map((day) => (
            <span key={day} role="columnheader">
              {weekday.format(day)}
            </span>
          ))}
        </div>
        {shown.map((week) => (
          <div key={week[0]} role="row">
            {week.map((day) => (
              <Day key={day} {...props} day={day} locale={locale} />
            ))}
          </div>
        ))}
      </div>
      {thisDay !== undefined && (
        <Button look="quiet" tabIndex={-1} onClick={() => onChoose(thisDay)}>
          {todayName(locale)}
        </Button>
      )}
    </div>
  )
}

type DayProps = CalendarProps & { readonly day: number; readonly locale: string }

const Day = ({ day, locale, id, active, chosen, today, onChoose }: DayProps): ReactNode => {
  const { whole, month } = calendarFormats(locale)
  const isToday = localTextOf(day, false) === today
  return (
    <div role="gridcell" id={`${id}-${day}`} aria-selected={day === chosen}>
      <button
        type="button"
        tabIndex={-1}
        aria-label={whole.format(day)}
        aria-current={isToday ? 'date' : undefined}
        data-active={day === active || undefined}
        data-other={month.format(day) !== month.format(active) || undefined}
        onClick={() => onChoose(day)}
      >
        {new Date(day).getUTCDate()}
      </button>
    </div>
  )
}

// The calendar of an input of a day or a moment: opened by its button or Alt and Arrow Down, moved through by the arrow keys.

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
