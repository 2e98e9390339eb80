/** Inputs of numbers: texts, because no number of JavaScript holds every digit of a record. */
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { commonProps } from './common-props.ts'
import type { InputProps } from './input-props.ts'
import { fromNumberText, fromWholeText, numberExample, toNumberText } from './number-text.ts'
import { useTypedText } from './use-typed-text.ts'

type NumberProps = InputProps & {
  readonly inputMode: 'numeric' | 'decimal'
  readonly read: (text: string, locale: string) => unknown
  readonly isRead: (value: unknown) => boolean
  /** What is said of a text that cannot be read. */
  readonly fault: string
}

const NumberInput = (props: NumberProps): ReactNode => {
  const { inputMode, read, isRead, fault, onChange } = props
  const { locale } = useReading()
  const { text, setTyped, forget } = useTypedText(toNumberText(props.value, locale))
  return (
    <input
      {...commonProps(props)}
      inputMode={inputMode}
      autoComplete="off"
      value={text}
      ref={(input) => {
        const isGiven = props.value !== null && props.value !== undefined
        input?.setCustomValidity(isGiven && !isRead(props.value) ? fault : '')
      }}
      onChange={({ target }) => {
        setTyped(target.value)
        onChange(target.value.trim() === '' ? null : read(target.value, locale))
      }}
      onBlur={forget}
    />
  )
}

export const DecimalInput = (props: InputProps): ReactNode => {
  const { values } = useTexts()
  const { locale } = useReading()
  return (
    <NumberInput
      {...props}
      inputMode="decimal"
      read={fromNumberText}
      isRead={(value) => /^-?\d+(\.\d+)?$/.test(String(value))}
      fault={values.number(numberExample(locale, 2))}
    />
  )
}

export const WholeNumberInput = (props: InputProps): ReactNode => {
  const { values } = useTexts()
  const { locale } = useReading()
  return (
    <NumberInput
      {...props}
      inputMode="numeric"
      read={fromWholeText}
      isRead={(value) => /^-?\d+$/.test(String(value))}
      fault={values.whole(numberExample(locale, 0))}
    />
  )
}
