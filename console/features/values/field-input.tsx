/** The input of a field by its type; what it gives is sent as it is, so digits and days stay exact. */
import { type ReactNode, useState } from 'react'
import { laterPart } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type InputKind, kindOf } from '../format/field-kinds.ts'
import { nameOfChoice } from '../format/format-value.ts'
import { asText, commonProps, type InputProps, orNull } from './input-props.ts'
import { JsonInput } from './json-input.tsx'
import { LinkInput } from './link-input.tsx'
import { fromLocalTime, isLocalText, isMoment, isSameLocalTime, toLocalTime } from './local-text.ts'
import { DecimalInput, WholeNumberInput } from './number-input.tsx'
import { TemporalInput } from './temporal-input.tsx'
import '../session/field-input.css'

type LineProps = InputProps & {
  readonly inputMode?: 'email' | 'url'
  /** A phone shows its keys for numbers. */
  readonly type?: 'tel'
}

/** A line; a text that had several lines at first keeps them. */
const LineInput = ({ inputMode, type, ...props }: LineProps): ReactNode => {
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

const TextAreaInput = (props: InputProps): ReactNode => {
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

const Json = (props: InputProps): ReactNode => <JsonInput {...props} />

const Choice = (props: InputProps): ReactNode => (
  <select
    {...commonProps(props)}
    value={asText(props.value)}
    onChange={({ target }) => props.onChange(orNull(target.value))}
  >
    {!props.field.required && <option value="" />}
    {props.field.values?.map((value) => (
      <option key={value} value={value}>
        {nameOfChoice(value, props.field)}
      </option>
    ))}
  </select>
)

const YesNo = (props: InputProps): ReactNode => {
  const { common: texts } = useTexts()
  return (
    <select
      {...commonProps(props)}
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

const Day = (props: InputProps): ReactNode => (
  <TemporalInput
    {...commonProps(props)}
    value={asText(props.value)}
    hasTime={false}
    timeZone={props.timeZone}
    onChange={(day) => props.onChange(orNull(day))}
  />
)

const Moment = (props: InputProps): ReactNode => {
  const { timeZone, onChange } = props
  const value = asText(props.value)
  // Put back as it was, an hour that comes twice must not become its other one.
  const [first] = useState(value)
  const read = (local: string) => {
    if (!isLocalText(local)) return orNull(local)
    return isSameLocalTime(local, toLocalTime(first, timeZone))
      ? first
      : fromLocalTime(local, timeZone, value)
  }
  return (
    <TemporalInput
      {...commonProps(props)}
      value={isMoment(value) ? toLocalTime(value, timeZone) : value}
      hasTime
      day={props.isSpan ? 'whole' : 'begins'}
      timeZone={timeZone}
      onChange={(local) => onChange(read(local))}
    />
  )
}

// Few entities have files.
const Files = laterPart(async () => (await import('../files/files-input.tsx')).FilesInput)

const inputs: Readonly<Record<InputKind, (props: InputProps) => ReactNode>> = {
  line: LineInput,
  area: TextAreaInput,
  email: (props) => <LineInput {...props} inputMode="email" />,
  url: (props) => <LineInput {...props} inputMode="url" />,
  phone: (props) => <LineInput {...props} type="tel" />,
  whole: WholeNumberInput,
  decimal: DecimalInput,
  yesNo: YesNo,
  day: Day,
  moment: Moment,
  choice: Choice,
  json: Json,
  link: LinkInput,
  files: (props) => <Files {...props} />,
  none: () => null,
}

export const FieldInput = (props: InputProps): ReactNode => {
  const Input = inputs[kindOf(props.field).input]
  return <Input {...props} />
}
