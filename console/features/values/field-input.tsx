/** The input of a field by its type; what it gives is sent as it is, so digits and days stay exact. */
import type { ReactNode } from 'react'
import type { Field } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import type { InputProps } from './input-props.ts'
import { LinkInput } from './link-input.tsx'
import { fromLocalTime, toLocalTime } from './local-time.ts'
import './field-input.css'

/** Properties that every kind of input has. */
const common = ({ id, field, isInvalid, describedBy }: InputProps) => ({
  id,
  name: field.column ?? field.key,
  'aria-required': field.required === true,
  'aria-invalid': isInvalid || undefined,
  'aria-describedby': describedBy,
  className: 'field-input',
})

const asText = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value)

/** An empty input of a field that needs no value is no value. */
const orNull = (text: string): string | null => (text === '' ? null : text)

const line =
  (attributes: {
    readonly type?: string
    readonly inputMode?: 'numeric' | 'decimal' | 'url' | 'email'
  }) =>
  (props: InputProps): ReactNode => (
    <input
      {...common(props)}
      {...attributes}
      dir="auto"
      maxLength={props.field.maxLength}
      value={asText(props.value)}
      onChange={({ target }) => props.onChange(orNull(target.value))}
    />
  )

const TextArea = (props: InputProps): ReactNode => (
  <textarea
    {...common(props)}
    dir="auto"
    rows={4}
    value={asText(props.value)}
    onChange={({ target }) => props.onChange(orNull(target.value))}
  />
)

const WholeNumber = (props: InputProps): ReactNode => (
  <input
    {...common(props)}
    inputMode="numeric"
    value={asText(props.value)}
    onChange={({ target }) => props.onChange(wholeNumber(target.value))}
  />
)

/** Digits that a number of JavaScript cannot hold stay a text; the service reads both. */
const wholeNumber = (text: string): number | string | null => {
  const number = Number(text)
  if (text.trim() === '') return null
  return Number.isSafeInteger(number) && String(number) === text ? number : text
}

const Choice = (props: InputProps): ReactNode => (
  <select
    {...common(props)}
    value={asText(props.value)}
    onChange={({ target }) => props.onChange(orNull(target.value))}
  >
    {!props.field.required && <option value="" />}
    {props.field.values?.map((value) => (
      <option key={value} value={value}>
        {value}
      </option>
    ))}
  </select>
)

const YesNo = (props: InputProps): ReactNode => {
  const { common: texts } = useTexts()
  return (
    <select
      {...common(props)}
      value={asText(props.value)}
      onChange={({ target }) =>
        props.onChange(target.value === '' ? null : target.value === 'true')
      }
    >
      <option value="">{texts.none}</option>
      <option value="true">{texts.yes}</option>
      <option value="false">{texts.no}</option>
    </select>
  )
}

const Moment = (props: InputProps): ReactNode => (
  <input
    {...common(props)}
    type="datetime-local"
    step="0.001"
    value={toLocalTime(asText(props.value), props.timeZone)}
    onChange={({ target }) => props.onChange(fromLocalTime(target.value, props.timeZone))}
  />
)

const Json = (props: InputProps): ReactNode => (
  <textarea
    {...common(props)}
    className="field-input field-code"
    rows={6}
    spellCheck={false}
    defaultValue={
      props.value === null || props.value === undefined ? '' : JSON.stringify(props.value, null, 2)
    }
    onBlur={({ target }) => props.onChange(parsedJson(target))}
  />
)

/** The value, or the text as it is, of which the service says where it is malformed. */
const parsedJson = (target: HTMLTextAreaElement): unknown => {
  if (target.value.trim() === '') return null
  try {
    const value: unknown = JSON.parse(target.value)
    target.setCustomValidity('')
    return value
  } catch (error) {
    target.setCustomValidity(error instanceof Error ? error.message : String(error))
    target.reportValidity()
    return undefined
  }
}

const inputs: Readonly<Record<Field['type'], (props: InputProps) => ReactNode>> = {
  string: line({}),
  text: TextArea,
  email: line({ type: 'email', inputMode: 'email' }),
  url: line({ type: 'url', inputMode: 'url' }),
  integer: WholeNumber,
  bigint: WholeNumber,
  decimal: line({ inputMode: 'decimal' }),
  boolean: YesNo,
  date: line({ type: 'date' }),
  timestamp: Moment,
  enum: Choice,
  json: Json,
  manyToOne: LinkInput,
  oneToMany: () => null,
}

export const FieldInput = (props: InputProps): ReactNode => {
  const Input = inputs[props.field.type]
  return <Input {...props} />
}
