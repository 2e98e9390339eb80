/** Inputs of numbers: texts, because no number of JavaScript holds every digit of a record. */
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { useWorkTexts } from '../../texts/texts.ts'
import { unitTextOf } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import { commonProps, type InputProps, useTypedText } from './input-props.ts'
import {
  fromNumberText,
  fromWholeText,
  isSameNumber,
  numberExample,
  printTooMany,
  toGroupedText,
  toMeantDigits,
  toNumberText,
  tooManyDecimals,
} from './number-text.ts'

type NumberProps = InputProps & {
  readonly inputMode: 'numeric' | 'decimal'
  /** What is shown while nobody types in it. */
  readonly print: (value: unknown, locale: string) => string
  readonly read: (text: string, locale: string) => unknown
  readonly isRead: (value: unknown) => boolean
  /** What is said of a text that cannot be read. */
  readonly unread: string
}

/** What is wrong with what was typed; empty where nothing is. */
const useFault = ({ value, field, isRead, unread }: NumberProps): string => {
  const texts = useWorkTexts().values
  const { locale } = useReading()
  if (value === null || value === undefined) return ''
  const tooMany = tooManyDecimals(value, field)
  if (tooMany) return printTooMany(tooMany, texts, locale)
  return isRead(value) ? '' : unread
}

/**
 * Gives what is typed on. The value that did not come from here is given on as it was when the user types its number again,
 * with fewer zeros: `1` for `1.00000000` is no change.
 */
const useChange = ({ value, onChange }: InputProps): ((typed: unknown) => void) => {
  const [state, setState] = useState({ given: value, typed: value })
  if (value !== state.typed) setState({ given: value, typed: value })
  return (typed) => {
    const next = isSameNumber(typed, state.given) ? state.given : typed
    setState({ given: state.given, typed: next })
    onChange(next)
  }
}

const NumberInput = (props: NumberProps): ReactNode => {
  const { inputMode, print, read, field, unit } = props
  const value = toMeantDigits(props.value, field, unit ?? unitTextOf(field.unit))
  const change = useChange(props)
  const { locale } = useReading()
  const input = useRef<HTMLInputElement>(null)
  const [isTyped, setIsTyped] = useState(false)
  const shown = isTyped ? toNumberText(value, locale) : print(value, locale)
  const { text, setTyped, forget } = useTypedText(shown)
  const fault = useFault(props)
  useLayoutEffect(() => input.current?.setCustomValidity(fault), [fault])
  // Other text would take the selection that came with the focus.
  useLayoutEffect(() => {
    if (isTyped) input.current?.select()
  }, [isTyped])
  return (
    <input
      {...commonProps(props)}
      inputMode={inputMode}
      autoComplete="off"
      value={text}
      ref={input}
      onFocus={() => setIsTyped(true)}
      onChange={({ target }) => {
        setTyped(target.value)
        change(target.value.trim() === '' ? null : read(target.value, locale))
      }}
      onBlur={() => {
        setIsTyped(false)
        forget()
      }}
    />
  )
}

export const DecimalInput = (props: InputProps): ReactNode => {
  const texts = useWorkTexts().values
  const { locale } = useReading()
  return (
    <NumberInput
      {...props}
      inputMode="decimal"
      print={toGroupedText}
      read={fromNumberText}
      isRead={(value) => /^-?\d+(\.\d+)?$/.test(String(value))}
      unread={texts.number(numberExample(locale, 2))}
    />
  )
}

export const WholeNumberInput = (props: InputProps): ReactNode => {
  const texts = useWorkTexts().values
  const { locale } = useReading()
  return (
    <NumberInput
      {...props}
      inputMode="numeric"
      print={toNumberText}
      read={fromWholeText}
      isRead={(value) => /^-?\d+$/.test(String(value))}
      unread={texts.whole(numberExample(locale, 0))}
    />
  )
}
