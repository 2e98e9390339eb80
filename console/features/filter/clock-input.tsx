/** The inputs of a day or a moment of the clock: how far it is from today, from now, or from the beginning of a period. */
import { type ReactNode, useState } from 'react'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { baseWords, clockValue } from './clock-entry.ts'
import { type ClockBase, clockBases, enteredOf } from './clock-values.ts'

type ClockProps = {
  readonly id: string
  readonly value: Readonly<Record<string, unknown>>
  /** What is wrong with it. */
  readonly problem: string | undefined
  readonly onChange: (value: unknown) => void
}

export const ClockInput = ({ id, value, problem, onChange }: ClockProps): ReactNode => {
  const texts = useWorkTexts().filter
  const { locale } = useReading()
  const [entered, setEntered] = useState(() => enteredOf(value))
  const change = (next: typeof entered) => {
    setEntered(next)
    onChange(clockValue(next))
  }
  return (
    <div className="filter-input">
      <label htmlFor={`${id}-base`}>{texts.clock.base}</label>
      <select
        id={`${id}-base`}
        value={entered.base}
        onChange={({ target }) => change({ ...entered, base: target.value as ClockBase })}
      >
        {clockBases.map((base) => (
          <option key={base} value={base}>
            {baseWords(base, texts, locale)}
          </option>
        ))}
      </select>
      <label htmlFor={id}>{texts.clock.amount}</label>
      <input
        id={id}
        className="field-input"
        autoComplete="off"
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-fault` : `${id}-help`}
        value={entered.amount}
        onChange={({ target }) => change({ ...entered, amount: target.value })}
      />
      <small id={`${id}-help`} className="filter-help">
        {texts.clock.help}
      </small>
      {problem && (
        <small id={`${id}-fault`} role="alert" className="filter-fault">
          {problem}
        </small>
      )}
    </div>
  )
}
