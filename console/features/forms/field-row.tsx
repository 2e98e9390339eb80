/** A field of a record: its name, its help, its input, and what is wrong with its value. */

import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { placeKey, useRecordNames } from '../../api/record-names.ts'
import type { RecordPlace } from '../../api/records/documents.ts'
import type { Field, NamedUser } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { openIcon } from '../../parts/icons.tsx'
import { laterPart } from '../../parts/later.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatValue, kindOf } from '../format/field-kinds.ts'
import { unitTextOf } from '../format/format-value.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { useReading, useSession } from '../session/session.ts'
import { addressOf, outside } from '../values/address-of.ts'
import { FieldInput } from '../values/field-input.tsx'
import { OutdatedMark } from '../values/outdated-mark.tsx'
import { columnOf } from '../values/own-fields.ts'
import type { Conflict } from './draft.ts'
import '../../styles/popover.css'
import './forms.css'
import { JsonView } from '../values/json-view.tsx'

const FileList = laterPart(async () => (await import('../files/file-list.tsx')).FileList)

type FieldRowProps = {
  readonly field: Field
  /** The record that has the value; a new one is none yet. */
  readonly place?: RecordPlace
  readonly value: unknown
  readonly linked?: string | undefined
  /** For a link: criteria that its choices match. */
  readonly choices?: Readonly<Record<string, unknown>> | undefined
  /** The unit of a number, where records have different ones. */
  readonly unit?: string | undefined
  readonly isReadOnly: boolean
  readonly isChanged?: boolean
  /** Whether the address of a new record has set the value. */
  readonly isGiven?: boolean
  /** Whether its value was calculated before a change that is not saved. */
  readonly isOutdated?: boolean
  readonly issue?: ReactNode
  readonly conflict?: Conflict | undefined
  readonly onChange: (value: unknown) => void
  readonly onKeepMine?: () => void
}

// A text shows its length from this part of the maximum on, unless it is as short as a number or a code.
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
    // biome-ignore lint/a11y/noStaticElementInteractions: the input has the focus; F1 is handled here
    <div
      className="field-row"
      data-column={columnOf(field)}
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
          {isLong && <LengthNote length={length} most={most} />}
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
  if (isReadOnly && props.place && kindOf(field).isFiles)
    return (
      <output id={id} className="field-output">
        <FileList place={props.place} value={value} />
      </output>
    )
  if (isReadOnly && field.type === 'json' && value !== null && value !== undefined)
    return (
      <output id={id} className="field-output">
        <JsonView value={value} />
      </output>
    )
  if (isReadOnly)
    return (
      <output id={id} className="field-output" dir="auto">
        <LinkTo {...props}>{linked ?? formatValue(value, field, reading, unit)}</LinkTo>
        {props.isOutdated && <OutdatedMark />}
      </output>
    )
  return (
    <div className="field-value">
      <FieldInput
        id={id}
        field={field}
        value={value}
        place={props.place}
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

/** A link to the linked record or address. Without a target that the user may open, it renders its children alone. */
const LinkTo = ({ field, value, linked, children, isIcon = false, className }: LinkToProps) => {
  const recordPage = useWorkTexts().record
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
  if (!kindOf(field).isLink || typeof value !== 'number' || !target?.permissions.read)
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

/** Both values of a field that another user changed too. */
const ConflictNote = ({ field, unit, conflict, onChange, onKeepMine }: NoteProps): ReactNode => {
  const recordPage = useWorkTexts().record
  const theirs = useValueText(conflict.theirs, field, { unit })
  return (
    <div className="field-conflict" role="alert">
      <span dir="auto">{recordPage.theirs(theirs)}</span>
      <Button onClick={onKeepMine}>{recordPage.keepMine}</Button>
      <Button onClick={() => onChange(conflict.theirs)}>{recordPage.takeTheirs}</Button>
    </div>
  )
}

type LengthProps = { readonly length: number; readonly most: number }

/** How much of the maximum length a text has used. */
const LengthNote = ({ length, most }: LengthProps): ReactNode => {
  const texts = useWorkTexts().issues
  return (
    <p className="field-help" role={length >= most ? 'status' : undefined}>
      {texts.used(length, most)}
    </p>
  )
}

/** The key that shows the help of the focused field. */
export const helpKey = 'F1'

type HelpProps = {
  /** The id of the text, which describes the field. */
  readonly id: string
  /** The id of the field's label. */
  readonly labelId: string
  readonly text: string
  /** Set where the field itself takes no focus, so that F1 cannot be pressed in it. */
  readonly isTabStop: boolean
}

// A pointer that only passes opens nothing, and has time to move into the text.
const restMs = 200

/** Shows and hides the text. A text that was opened by a press stays until it is closed. */
const useHelp = () => {
  const text = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isHovered = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  const isOpen = () => text.current?.matches(':popover-open') === true
  const later = (work: () => void) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(work, restMs)
  }
  const show = () => {
    if (!isOpen()) text.current?.showPopover()
  }
  const onPointerEnter = ({ pointerType }: PointerEvent) => {
    if (pointerType !== 'mouse') return
    later(() => {
      isHovered.current ||= !isOpen()
      show()
    })
  }
  const onPointerLeave = () => later(() => isHovered.current && text.current?.hidePopover())
  const onToggle = ({ newState }: { readonly newState: string }) => {
    if (newState === 'closed') isHovered.current = false
  }
  /** Keeps the text open; true if the pointer alone had opened it. */
  const pin = (): boolean => {
    const was = isHovered.current && isOpen()
    isHovered.current = false
    return was
  }
  return { text, onToggle, pin, pointer: { onPointerEnter, onPointerLeave } }
}

/** What a field is for, shown by the pointer, a press or F1. Screen readers read it with the field in any case. */
const FieldHelp = ({ id, labelId, text, isTabStop }: HelpProps): ReactNode => {
  const texts = useWorkTexts().record
  const help = useHelp()
  return (
    <span className="field-help-sign" {...help.pointer}>
      <button
        type="button"
        aria-label={texts.help}
        aria-describedby={labelId}
        popoverTarget={id}
        tabIndex={isTabStop ? 0 : -1}
        onClick={(event) => help.pin() && event.preventDefault()}
      >
        <span aria-hidden="true">?</span>
      </button>
      <span
        ref={help.text}
        id={id}
        popover="auto"
        dir="auto"
        className="popover"
        onToggle={help.onToggle}
      >
        {text}
      </span>
    </span>
  )
}

/** Shows or hides the help of the focused field. */
const onHelpKey = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.key !== helpKey) return
  const text = event.currentTarget.querySelector<HTMLElement>('.field-help-sign > [popover]')
  // F1 opens the help of the browser otherwise.
  if (text) event.preventDefault()
  text?.togglePopover()
}

type Context = {
  readonly unit?: string | undefined
  /** Users whose names came with the value. */
  readonly users?: readonly NamedUser[] | undefined
}

/** The text of a value; a link has the name of its record, or its id while the name is loading or hidden from the user. */
export const useValueText = (
  value: unknown,
  field: Field,
  { unit, users = [] }: Context,
): string => {
  const reading = useReading()
  const { entities } = useSession()
  const isLink = kindOf(field).isLink && typeof value === 'number'
  const user = isLink && field.entity === 'user' ? users.find(({ id }) => id === value) : undefined
  const place = isLink && !user && { entity: field.entity ?? '', id: value }
  const places = place ? [place] : []
  const name = useRecordNames(places, entities)?.get(place ? placeKey(place) : '')
  return user?.full_name || name || formatValue(value, field, reading, unit)
}
