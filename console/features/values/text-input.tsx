/** Inputs of texts, which keep every character that they cannot show too. */
import { type ReactNode, useState } from 'react'
import { asText, commonProps, type InputProps, orNull } from './input-props.ts'

type LineProps = InputProps & {
  readonly inputMode?: 'email' | 'url'
  /** A phone shows its keys for numbers. */
  readonly type?: 'tel'
}

/** A line; a text that had several lines at first keeps them. */
export const LineInput = ({ inputMode, type, ...props }: LineProps): ReactNode => {
  const [hasLines] = useState(/[\r\n]/.test(asText(props.value)))
  if (hasLines) return <TextAreaInput {...props} />
  return (
    <input
      {...commonProps(props)}
      type={type}
      inputMode={inputMode}
      dir="auto"
      maxLength={props.field.maxLength}
      value={asText(props.value)}
      onChange={({ target }) => props.onChange(orNull(target.value))}
    />
  )
}

export const TextAreaInput = (props: InputProps): ReactNode => {
  // Browsers give every end of a line as LF; a text of CRLF keeps its own.
  const [lineEnd] = useState(asText(props.value).includes('\r\n') ? '\r\n' : '\n')
  return (
    <textarea
      {...commonProps(props)}
      dir="auto"
      rows={4}
      maxLength={props.field.maxLength}
      value={asText(props.value)}
      onChange={({ target }) => props.onChange(orNull(target.value.replaceAll('\n', lineEnd)))}
    />
  )
}
