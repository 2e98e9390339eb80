/** The input for what a condition compares with: that of the field in a form, or several values of it. */
import { type ReactNode, useState } from 'react'
import { placeKey, useRecordNames } from '../../api/record-names.ts'
import type { Entity, Field } from '../../api/types.ts'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { type Comparison, type InputKind, kindOf } from '../format/field-kinds.ts'
import { nameOfChoice } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import { FieldInput } from '../values/field-input.tsx'
import {
  fromNumberText,
  fromWholeText,
  numberExample,
  printTooMany,
  toNumberText,
} from '../values/number-text.ts'
import { temporalExample } from '../values/temporal-text.ts'
import { isOfClock } from './clock-values.ts'
import { operandKind, type ValueFault } from './comparisons.ts'

type InputProps = {
  readonly id: string
  readonly field: Field
  /** The entity that has the field. */
  readonly entity: Entity
  readonly comparison: Comparison
  readonly value: unknown
  readonly fault: ValueFault | undefined
  readonly onChange: (value: unknown) => void
}

export const OperandInput = (props: InputProps): ReactNode => {
  const { id, field, comparison, fault, onChange } = props
  const texts = useWorkTexts().filter
  const faultWords = useFaultWords()
  const kind = operandKind(comparison, field)
  const options = useOptions(props)
  // Of what has no value yet, such as words that name no record.
  const [unread, setUnread] = useState('')
  if (kind === 'nothing') return <div className="filter-input" />
  const isLines = kind === 'list' && !kindOf(field).isLink && !options
  const problem = fault ? faultWords(fault) : unread
  const isGroup = kind === 'list' && !isLines
  const isPattern = comparison === '$like' || comparison === '$ilike'
  return (
    <div
      className="filter-input"
      onInvalidCapture={({ target }) =>
        target instanceof HTMLInputElement && setUnread(target.validationMessage)
      }
      onInput={() => setUnread('')}
    >
      {!isGroup && <label htmlFor={id}>{isLines ? texts.values : texts.value}</label>}
      {isGroup && <span aria-hidden="true">{texts.choices}</span>}
      <Operand
        {...props}
        kind={kind}
        options={options}
        isInvalid={problem !== ''}
        onChange={(value) => {
          setUnread('')
          onChange(value)
        }}
      />
      {isPattern && <small className="filter-help">{texts.patternHelp}</small>}
      {problem && (
        <small id={`${id}-fault`} role="alert" className="filter-fault">
          {problem}
        </small>
      )}
    </div>
  )
}

const useOptions = ({ field, entity }: InputProps): readonly Option[] | undefined => {
  const { common } = useTexts()
  if (kindOf(field).input === 'yesNo')
    return [
      { value: true, label: common.yes },
      { value: false, label: common.no },
    ]
  if (field.column === '_step' && entity.workflow)
    return entity.workflow.steps.map(({ key, name }) => ({ value: key, label: name ?? key }))
  return field.values?.map((value) => ({ value, label: nameOfChoice(value, field) }))
}

type OperandProps = Omit<InputProps, 'fault'> & {
  readonly isInvalid: boolean
  readonly kind: 'value' | 'text' | 'list'
  readonly options: readonly Option[] | undefined
}

const Operand = (props: OperandProps): ReactNode => {
  const { id, field, kind, options, value, isInvalid, onChange } = props
  const { timeZone } = useReading()
  const common = {
    id,
    isInvalid,
    describedBy: isInvalid ? `${id}-fault` : undefined,
  }
  if (kind === 'list' && options)
    return <ChoicesInput options={options} value={value} onChange={onChange} {...common} />
  if (kind === 'list' && kindOf(field).isLink)
    return <RecordsInput field={field} value={value} onChange={onChange} {...common} />
  if (kind === 'list') return <Lines {...props} />
  if (kind === 'value' && options)
    return <Choice options={options} value={value} onChange={onChange} {...common} />
  // Rules of the field, such as its length, are not for what is looked for.
  const { maxLength: _max, required: _required, ...asked } = field
  const isText = kind === 'text' || kindOf(field).isFreeText
  return (
    <FieldInput
      value={value}
      onChange={onChange}
      timeZone={timeZone}
      {...common}
      field={isText ? { ...asked, type: 'string' } : asked}
      linked={undefined}
      isSpan
    />
  )
}

/** Several values, each in a line of its own. */
const Lines = ({ id, field, value, isInvalid, onChange }: OperandProps): ReactNode => {
  const { locale } = useReading()
  const [text, setText] = useState(() => printValues(value, field, locale))
  return (
    <textarea
      id={id}
      className="field-input"
      rows={4}
      dir="auto"
      aria-invalid={isInvalid || undefined}
      aria-describedby={isInvalid ? `${id}-fault` : undefined}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        onChange(readValues(target.value, field, locale))
      }}
    />
  )
}

type ChoiceProps = {
  readonly id: string
  readonly options: readonly Option[]
  readonly value: unknown
  readonly isInvalid: boolean
  readonly describedBy: string | undefined
  readonly onChange: (value: unknown) => void
}

const Choice = ({
  id,
  options,
  value,
  isInvalid,
  describedBy,
  onChange,
}: ChoiceProps): ReactNode => (
  <select
    id={id}
    className="field-input"
    aria-invalid={isInvalid || undefined}
    aria-describedby={describedBy}
    value={options.findIndex((one) => one.value === value)}
    onChange={({ target }) => onChange(options[Number(target.value)]?.value ?? null)}
  >
    <option value={-1} />
    {options.map((option, at) => (
      <option key={String(option.value)} value={at}>
        {option.label}
      </option>
    ))}
  </select>
)

const printValues = (value: unknown, field: Field, locale: string): string =>
  (Array.isArray(value) ? value : [])
    .map((one) => {
      if (isOfClock(one)) return JSON.stringify(one)
      return kindOf(field).isNumber ? toNumberText(one, locale) : String(one)
    })
    .join('\n')

/** What cannot be read stays as it is, for the form to say so. */
const readValues = (text: string, field: Field, locale: string): readonly unknown[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => clockIn(line) ?? readers[kindOf(field).input]?.(line, locale) ?? line)

/** A value of the clock, as criteria write it. */
const clockIn = (line: string): unknown => {
  if (!line.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return isOfClock(value) ? value : undefined
  } catch {
    return undefined
  }
}

type Read = (line: string, locale: string) => unknown

const readers: Readonly<Partial<Record<InputKind, Read>>> = {
  whole: fromWholeText,
  decimal: fromNumberText,
}

export const useFaultWords = (): ((fault: ValueFault) => string) => {
  const texts = useWorkTexts().values
  const issues = useWorkTexts().issues
  const { locale } = useReading()
  return (fault) => {
    if (typeof fault === 'object') return printTooMany(fault, texts, locale)
    if (fault === 'number') return texts.number(numberExample(locale, 2))
    if (fault === 'whole') return texts.whole(numberExample(locale, 0))
    if (fault === 'day' || fault === 'moment') return texts[fault](temporalExample(locale, fault))
    return issues[fault]
  }
}

// Inputs of several values of a condition: boxes of what there is, or records that are found by name.

type Option = { readonly value: string | boolean; readonly label: string }

type ListProps = {
  readonly id: string
  readonly value: unknown
  readonly isInvalid: boolean
  readonly describedBy: string | undefined
  readonly onChange: (value: unknown) => void
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

type ChoicesProps = ListProps & { readonly options: readonly Option[] }

const ChoicesInput = (props: ChoicesProps): ReactNode => {
  const { options, isInvalid, describedBy, onChange } = props
  const texts = useWorkTexts().filter
  const chosen = listOf(props.value)
  return (
    // biome-ignore lint/a11y/useSemanticElements: the legend of a fieldset cannot stand in a grid
    <div role="group" aria-label={texts.choices} className="filter-choices">
      {options.map(({ value, label }, at) => (
        <label key={String(value)}>
          <input
            type="checkbox"
            aria-invalid={(isInvalid && at === 0) || undefined}
            aria-describedby={describedBy}
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
          <span dir="auto">{label}</span>
        </label>
      ))}
    </div>
  )
}

type RecordsProps = ListProps & { readonly field: Field }

const RecordsInput = (props: RecordsProps): ReactNode => {
  const { id, field, isInvalid, describedBy, onChange } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const chosen = listOf(props.value)
  const entity = field.entity ?? ''
  const places = chosen.flatMap((one) => (typeof one === 'number' ? [{ entity, id: one }] : []))
  const names = useRecordNames(places, entities)
  const nameOf = (one: unknown) =>
    (typeof one === 'number' && names?.get(placeKey({ entity, id: one }))) || String(one)
  return (
    // biome-ignore lint/a11y/useSemanticElements: the legend of a fieldset cannot stand in a grid
    <div role="group" aria-label={texts.choices}>
      <ul className="filter-records">
        {chosen.map((one) => (
          <li key={String(one)}>
            <span dir="auto">{nameOf(one)}</span>
            <IconButton
              label={texts.removeValue(nameOf(one))}
              icon={closeIcon}
              onClick={() => onChange(chosen.filter((other) => other !== one))}
            />
          </li>
        ))}
      </ul>
      <label htmlFor={id} className="visually-hidden">
        {texts.value}
      </label>
      <FieldInput
        id={id}
        field={field}
        isInvalid={isInvalid}
        describedBy={describedBy}
        key={chosen.length}
        value={null}
        linked={undefined}
        timeZone="UTC"
        onChange={(next) => typeof next === 'number' && onChange([...new Set([...chosen, next])])}
      />
    </div>
  )
}
