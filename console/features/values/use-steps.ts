/** The arrow keys in an input of a day or a moment: up and down change the part of it in which the caret is. */
import { type KeyboardEvent, type RefObject, useLayoutEffect, useState } from 'react'
import { useReading } from '../session/session.ts'
import { addMonths, dayMs, isShownYear, localTextOf, timeOf } from './local-text.ts'
import { piecesOf } from './temporal-text.ts'

/** An input of a day or a moment, and what it holds. */
export type TemporalField = {
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
