/** The days of a month, in the language of the page; the keys of its input move through them. */
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
import { Button, IconButton } from '../../parts/button.tsx'
import { backIcon } from '../../parts/icons.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import { calendarFormats, firstWeekday, todayName } from './day-formatters.ts'
import { addMonths, dayMs, dayOf, localTextOf, timeOf } from './local-text.ts'
import '../../styles/popover.css'
import './calendar.css'

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

export const Calendar = (props: CalendarProps): ReactNode => {
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
