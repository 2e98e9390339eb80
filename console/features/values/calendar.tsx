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
import './values.css'
import { calendarFormats, firstWeekday, todayName } from './day-formatters.ts'
import { addMonths, dayMs, dayOf, isShownYear, localTextOf, timeOf } from './local-text.ts'
import { piecesOf } from './temporal-text.ts'

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

// The arrow keys in an input of a day or a moment: up and down change the part of it in which the caret is.

/** An input of a day or a moment, and what it holds. */
type TemporalField = {
  readonly input: RefObject<HTMLInputElement | null>
  readonly value: string
  readonly hasTime: boolean
  readonly today: string
  readonly onChange: (value: string) => void
}

type Part =
  | 'year'
  | 'month'
  | 'day'
  | 'hour'
  | 'minute'
  | 'second'
  | 'fractionalSecond'
  | 'dayPeriod'
type Range = { readonly type: string; readonly from: number; readonly to: number }

/** Milliseconds of the parts that are always as long. */
const lengths = {
  day: dayMs,
  dayPeriod: dayMs / 2,
  hour: dayMs / 24,
  minute: 60_000,
  second: 1000,
  fractionalSecond: 1,
} as const

const isPart = (type: string): type is Part =>
  type in lengths || type === 'year' || type === 'month'

const stepped = (time: number, part: Part, by: number): number => {
  if (part === 'year') return addMonths(time, 12 * by)
  return part === 'month' ? addMonths(time, by) : time + by * lengths[part]
}

const rangesOf = (value: string, locale: string, hasTime: boolean): readonly Range[] => {
  let at = 0
  return (piecesOf(value, locale, hasTime) ?? []).map(({ type, text }) => {
    const from = at
    at += text.length
    return { type, from, to: at }
  })
}

/** The part in which the caret is; the day where the text is still as the user typed it, or all of it is selected. */
const partAt = (input: HTMLInputElement, ranges: readonly Range[]): Part => {
  const { value, selectionStart, selectionEnd } = input
  const under = ranges.find(
    ({ type, from, to }) =>
      isPart(type) && from <= (selectionStart ?? 0) && (selectionEnd ?? 0) <= to,
  )
  const isShown = ranges.at(-1)?.to === value.length
  return isShown && under && isPart(under.type) ? under.type : 'day'
}

/** Where the caret is, and where it goes on after what it was in has changed. */
export const useSteps = ({ input, value, hasTime, today, onChange }: TemporalField) => {
  const { locale } = useReading()
  const [selected, setSelected] = useState<Part>()
  useLayoutEffect(() => {
    const range = rangesOf(value, locale, hasTime).find(({ type }) => type === selected)
    if (range) input.current?.setSelectionRange(range.from, range.to)
  }, [input, value, locale, hasTime, selected])
  return (event: KeyboardEvent<HTMLInputElement>): void => {
    const { key, altKey, ctrlKey, metaKey, currentTarget } = event
    const by = key === 'ArrowUp' ? 1 : key === 'ArrowDown' ? -1 : 0
    if (by === 0 || altKey || ctrlKey || metaKey) {
      setSelected(undefined)
      return
    }
    event.preventDefault()
    const time = timeOf(value)
    if (value === '') onChange(hasTime ? `${today}T00:00:00.000` : today)
    if (time === undefined) return
    const part = partAt(currentTarget, rangesOf(value, locale, hasTime))
    const next = localTextOf(stepped(time, part, by), hasTime)
    if (!isShownYear(next)) return
    setSelected(part)
    onChange(next)
  }
}
