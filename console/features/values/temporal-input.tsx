/**
 * Inputs of days and moments: texts in the language of the page, which those of browsers are not. What is typed is read at
 * once, and shown with the name of its month or in the order of the language when the input is left.
 */
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { icon } from '../../parts/icons.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { useCalendar, useSteps } from './calendar.tsx'
import { type commonProps, useTypedText } from './input-props.ts'
import { dayOf, isLocalText, timeOf, toLocalTime } from './local-text.ts'
import { printLocal, readLocal, temporalExample } from './temporal-text.ts'
import './values.css'

const calendarIcon = icon('M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3')

type TemporalProps = Partial<ReturnType<typeof commonProps>> & {
  readonly id: string
  /** A local text, or what was typed and cannot be read; empty for none. */
  readonly value: string
  readonly hasTime: boolean
  /** What a day without a time is, where there may be one: its beginning, its end, or the whole of it, which is shown so. */
  readonly day?: 'begins' | 'ends' | 'whole'
  /** Of the user, for what today is. */
  readonly timeZone: string
  /** Given a local text, what cannot be read as it was typed, or nothing. */
  readonly onChange: (value: string) => void
}

// Its last minute: seconds would be shown.
const endOfDay = '23:59:00.000'

const isMidnight = (local: string): boolean => {
  const time = timeOf(local)
  return time !== undefined && time === dayOf(time)
}

export const TemporalInput = (props: TemporalProps): ReactNode => {
  const { value, hasTime, day = 'begins', timeZone, onChange, ...attributes } = props
  const texts = useWorkTexts().values
  const { locale } = useReading()
  const today = toLocalTime(new Date().toISOString(), timeZone).slice(0, 10)
  const showsTime = hasTime && !(day === 'whole' && isMidnight(value))
  const usualTime = day === 'ends' ? endOfDay : undefined
  const input = useRef<HTMLInputElement>(null)
  const { text, setTyped, forget } = useTypedText(printLocal(value, locale, showsTime))
  const change = (next: string) => {
    forget()
    onChange(next)
  }
  const steps = useSteps({
    input,
    value,
    today,
    hasTime: showsTime,
    onChange: (next) => change(hasTime && !showsTime ? `${next}T00:00:00.000` : next),
  })
  const calendar = useCalendar({ input, value, hasTime, today, usualTime, onChange: change })
  const kind = hasTime ? 'moment' : 'day'
  const isRead = value === '' || isLocalText(value)
  const fault = isRead ? '' : texts[kind](temporalExample(locale, kind))
  useLayoutEffect(() => input.current?.setCustomValidity(fault), [fault])
  return (
    <span className="temporal-input">
      <input
        {...attributes}
        {...calendar.inputProps}
        className="field-input"
        ref={input}
        autoComplete="off"
        spellCheck={false}
        value={text}
        // What is typed next takes the place of what is there.
        onFocus={({ currentTarget }) => currentTarget.select()}
        onChange={({ target }) => {
          setTyped(target.value)
          const typed = target.value.trim()
          onChange(readLocal(typed, locale, hasTime, today, usualTime) ?? typed)
        }}
        onKeyDown={(event) => {
          if (!calendar.onKeyDown(event)) steps(event)
        }}
        onBlur={() => {
          forget()
          calendar.close()
        }}
      />
      <button
        type="button"
        className="temporal-open"
        tabIndex={-1}
        aria-label={texts.calendar}
        title={texts.calendar}
        // The input keeps the focus, and its keys are those of the calendar.
        onMouseDown={(event) => event.preventDefault()}
        onClick={calendar.toggle}
      >
        {calendarIcon}
      </button>
      {calendar.view}
    </span>
  )
}
