/** Inputs of numbers: texts, because no number of JavaScript holds every digit of a record. */
import type { ReactNode } from 'react'
import { useReading } from '../session/session.ts'
import { commonProps } from './common-props.ts'
import type { InputProps } from './input-props.ts'
import { fromNumberText, fromWholeText, toNumberText } from './number-text.ts'
import { useTypedText } from './use-typed-text.ts'

type NumberProps = InputProps & {
  readonly inputMode: 'numeric' | 'decimal'
  readonly read: (text: string, locale: string) => unknown
}

const NumberInput = ({ inputMode, read, ...props }: NumberProps): ReactNode => {
  const { locale } = useReading()
  const { text, setTyped, forget } = useTypedText(toNumberText(props.value, locale))
  return (
    <input
      {...commonProps(props)}
      inputMode={inputMode}
      autoComplete="off"
      value={text}
      onChange={({ target }) => {
        setTyped(target.value)
        props.onChange(target.value.trim() === '' ? null : read(target.value, locale))
      }}
      onBlur={forget}
    />
  )
}

export const DecimalInput = (props: InputProps): ReactNode => (
  <NumberInput {...props} inputMode="decimal" read={fromNumberText} />
)

export const WholeNumberInput = (props: InputProps): ReactNode => (
  <NumberInput {...props} inputMode="numeric" read={fromWholeText} />
)
