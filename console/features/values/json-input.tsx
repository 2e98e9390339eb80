/** The input of a JSON value: its text, indented, with every digit as it is stored. */
import type { ReactNode } from 'react'
import { parseExact } from '../../api/exact-json.ts'
import { commonProps } from './common-props.ts'
import type { InputProps } from './input-props.ts'
import { useTypedText } from './use-typed-text.ts'

const printed = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)

export const JsonInput = (props: InputProps): ReactNode => {
  const { text, setTyped, forget } = useTypedText(printed(props.value))
  return (
    <textarea
      {...commonProps(props)}
      className="field-input field-code"
      rows={6}
      spellCheck={false}
      dir="ltr"
      value={text}
      onChange={({ target }) => {
        setTyped(target.value)
        const value = checkedJson(target)
        if (value !== undefined) props.onChange(value)
      }}
      onBlur={({ target }) => {
        if (target.reportValidity()) forget()
      }}
    />
  )
}

/** The value of the input; undefined while its text is malformed, of which the browser then says where. */
const checkedJson = (target: HTMLTextAreaElement): unknown => {
  try {
    const value = target.value.trim() === '' ? null : parseExact(target.value)
    target.setCustomValidity('')
    return value
  } catch (error) {
    target.setCustomValidity(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
