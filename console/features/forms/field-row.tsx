/** A field of a record: its name, its input, what it is for, and what is wrong with its value. */
import { lazy, type ReactNode, Suspense, useId } from 'react'
import type { Field } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { openIcon } from '../../parts/icons.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { formatValue, unitTextOf } from '../format/format-value.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { useReading, useSession } from '../session/session.ts'
import { addressOf, outside } from '../values/address-of.ts'
import { labelOf } from '../values/columns.ts'
import { FieldInput } from '../values/field-input.tsx'
import { OutdatedMark } from '../values/outdated.ts'
import type { Conflict } from './draft.ts'
import { FieldHelp, onHelpKey } from './field-help.tsx'
import { useValueText } from './use-value-text.ts'

export type FieldRowProps = {
  readonly field: Field
  readonly value: unknown
  readonly linked?: string | undefined
  /** For a link: criteria that its choices match. */
  readonly choices?: Readonly<Record<string, unknown>> | undefined
  /** Of a number, if records have different ones. */
  readonly unit?: string | undefined
  readonly isReadOnly: boolean
  readonly isChanged?: boolean
  /** Whether a new record came with its value. */
  readonly isGiven?: boolean
  /** Whether its value is that of before a change that is not saved. */
  readonly isOutdated?: boolean
  readonly issue?: ReactNode
  readonly conflict?: Conflict | undefined
  readonly onChange: (value: unknown) => void
  readonly onKeepMine?: () => void
}

const LengthNote = lazy(async () => ({
  default: (await import('./length-note.tsx')).LengthNote,
}))

const JsonView = lazy(async () => ({
  default: (await import('../values/json-view.tsx')).JsonView,
}))

// The part of its length from which a text says how much is left; not where it is a number or a code.
const nearEnd = 0.8
const shortestText = 40

export const FieldRow = (props: FieldRowProps): ReactNode => {
  const { field, issue } = props
  const id = useId()
  const noteId = `${id}-note`
  const { maxLength: most = Number.POSITIVE_INFINITY } = field
  const length = typeof props.value === 'string' && !props.isReadOnly ? props.value.length : 0
  const isLong = most >= shortestText && length >= most * nearEnd
  const hasNote = issue !== undefined || isLong
  const helpId = field.description === undefined ? undefined : `${id}-help`
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its input has the focus, and F1 is handled here
    <div
      className="field-row"
      data-column={field.column ?? field.key}
      data-changed={props.isChanged || undefined}
      data-given={props.isGiven || undefined}
      onKeyDown={helpId === undefined ? undefined : onHelpKey}
    >
      <div className="field-label">
        <label id={`${id}-label`} htmlFor={id} dir="auto">
          {labelOf(field)}
          {field.required && !props.isReadOnly && <span aria-hidden="true"> *</span>}
        </label>
        {helpId && (
          <FieldHelp
            id={helpId}
            labelId={`${id}-label`}
            text={field.description ?? ''}
            isTabStop={props.isReadOnly}
          />
        )}
      </div>
      <Value {...props} id={id} notes={[hasNote ? noteId : undefined, helpId]} />
      {hasNote && (
        <div id={noteId}>
          {issue !== undefined && (
            <p role="alert" className="field-issue">
              {issue}
            </p>
          )}
          {isLong && (
            <Suspense>
              <LengthNote length={length} most={most} />
            </Suspense>
          )}
        </div>
      )}
      {props.conflict && <ConflictNote {...props} conflict={props.conflict} />}
    </div>
  )
}

type ValueProps = FieldRowProps & {
  readonly id: string
  readonly notes: readonly (string | undefined)[]
}

const Value = (props: ValueProps): ReactNode => {
  const { id, notes, field, value, linked, choices, isReadOnly, issue, onChange } = props
  const unit = props.unit ?? unitTextOf(field.unit)
  const unitId = unit && `${id}-unit`
  const reading = useReading()
  if (isReadOnly && field.type === 'json' && value !== null && value !== undefined)
    return (
      <output id={id} className="field-output">
        <Suspense>
          <JsonView value={value} />
        </Suspense>
      </output>
    )
  if (isReadOnly)
    return (
      <output id={id} className="field-output" dir="auto">
        <LinkTo {...props}>{linked ?? formatValue(value, field, reading, unit)}</LinkTo>
        {props.isOutdated && (
          <Suspense>
            <OutdatedMark />
          </Suspense>
        )}
      </output>
    )
  return (
    <div className="field-value">
      <FieldInput
        id={id}
        field={field}
        value={value}
        linked={linked}
        choices={choices}
        unit={unit}
        onChange={onChange}
        timeZone={reading.timeZone}
        isInvalid={issue !== undefined}
        describedBy={[unitId, ...notes].filter(Boolean).join(' ') || undefined}
      />
      {unitId && (
        <span id={unitId} className="field-unit" dir="auto">
          {unit}
        </span>
      )}
      <LinkTo {...props} className="button" isIcon>
        {openIcon}
      </LinkTo>
    </div>
  )
}

type LinkToProps = FieldRowProps & {
  readonly children: ReactNode
  readonly className?: string
  readonly isIcon?: boolean
}

/** The way to the record behind a link; of other fields, and of links that lead nowhere, what it holds alone. */
const LinkTo = ({ field, value, linked, children, isIcon = false, className }: LinkToProps) => {
  const recordPage = useRecordPageTexts()
  const target = useSession().entities.get(field.entity ?? '')
  const href = addressOf(value, field)
  if (href !== undefined)
    return (
      <a
        href={href}
        className={className}
        {...outside}
        aria-label={isIcon ? recordPage.open(labelOf(field)) : undefined}
      >
        {children}
      </a>
    )
  if (field.type !== 'manyToOne' || typeof value !== 'number' || !target?.permissions.read)
    return isIcon ? null : children
  return (
    <RecordLink
      entity={target.key}
      id={value}
      {...(isIcon && { label: recordPage.open(linked ?? labelOf(field)) })}
      {...(className !== undefined && { className })}
    >
      {children}
    </RecordLink>
  )
}

type NoteProps = FieldRowProps & { readonly conflict: Conflict }

/** Both values of a field that somebody else changed too. */
const ConflictNote = ({ field, unit, conflict, onChange, onKeepMine }: NoteProps): ReactNode => {
  const recordPage = useRecordPageTexts()
  const theirs = useValueText(conflict.theirs, field, { unit })
  return (
    <div className="field-conflict" role="alert">
      <span dir="auto">{recordPage.theirs(theirs)}</span>
      <Button onClick={onKeepMine}>{recordPage.keepMine}</Button>
      <Button onClick={() => onChange(conflict.theirs)}>{recordPage.takeTheirs}</Button>
    </div>
  )
}
