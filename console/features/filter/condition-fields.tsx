/** The inputs of one condition: field, comparison, and what is compared with. */
import { type ReactNode, useId, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { type Comparison, comparisonsOf, isPeriodName, kindOf } from '../format/field-kinds.ts'
import { useReading, useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { tooManyDecimals } from '../values/number-text.ts'
import {
  baseWords,
  type ClockBase,
  clockBases,
  clockValue,
  enteredOf,
  isOfClock,
} from './clock-values.ts'
import {
  type ConditionFault,
  comparisonOf,
  faultOf,
  operandKind,
  otherField,
  otherPathOf,
  relations,
  ruleOf,
} from './comparisons.ts'
import '../session/field-input.css'
import './filter-dialog.css'
import { useComparisonWords } from './describe-filter.ts'
import { FieldChoice } from './field-choice.tsx'
import type { FilterRule } from './filter.ts'
import { areComparable, type FilterField, filterFieldAt, filterFields } from './filter-fields.ts'
import { OperandInput, useFaultWords } from './operand-input.tsx'
import { isTimed, withoutSpan, withSpan } from './spans.ts'

export type ConditionProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly rule: FilterRule
  /** Whether what is wrong is said. */
  readonly isChecked: boolean
  /** Whether it is negated, or in a group that is. */
  readonly isNegated?: boolean
  readonly onChange: (rule: FilterRule) => void
}

/** A condition on a field as it begins: its usual comparison, with nothing yet. */
export const newRule = ({ path, field }: FilterField): FilterRule => {
  const [usual = '$eq'] = comparisonsOf(field)
  return ruleOf(path, usual, emptyOf(usual, field))
}

const emptyOf = (comparison: Comparison, field: FilterField['field']): unknown => {
  const kind = operandKind(comparison, field)
  if (kind === 'list') return []
  // Nothing yet: null would mean that the field is empty.
  return kind === 'value' && kindOf(field).isStructured ? null : ''
}

export const ConditionFields = (props: ConditionProps): ReactNode => {
  const { entity, columns, rule, isChecked, isNegated = false, onChange } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const { timeZone } = useReading()
  const wordsOf = useComparisonWords()
  const id = useId()
  // A pattern of no text yet could be read in several ways.
  const found = filterFieldAt(rule.path, entity, entities)
  const [chosen, setChosen] = useState(() =>
    comparisonOf(withoutSpan(rule, found?.field, timeZone)),
  )
  const set = (path: string, comparison: Comparison, value: unknown) => {
    setChosen({ comparison, value })
    const field = filterFieldAt(path, entity, entities)?.field
    onChange(withSpan(ruleOf(path, comparison, value), field, timeZone))
  }
  const { comparison, value } = chosen
  const offered = found ? comparisonsOf(found.field) : []
  const option = (one: Comparison) => (
    <option key={one} value={one}>
      {wordsOf(one, found?.field, isTimed(found?.field, value, timeZone))}
    </option>
  )
  const choose = (next: Comparison) => {
    if (!found) return
    const isSame = operandKind(next, found.field) === operandKind(comparison, found.field)
    set(rule.path, next, isSame ? value : emptyOf(next, found.field))
  }
  return (
    <>
      <div className="filter-input">
        <label htmlFor={`${id}-field`}>{texts.field}</label>
        <FieldChoice
          entity={entity}
          columns={columns}
          id={`${id}-field`}
          chosen={found?.label ?? rule.path}
          onChoose={(field) => {
            const [usual = '$eq'] = comparisonsOf(field.field)
            set(field.path, usual, emptyOf(usual, field.field))
          }}
        />
      </div>
      <div className="filter-input">
        <label htmlFor={`${id}-comparison`}>{texts.condition}</label>
        <select
          className="field-input"
          id={`${id}-comparison`}
          value={comparison}
          onChange={({ target }) => {
            const next = offered.find((one) => one === target.value)
            if (next) choose(next)
          }}
        >
          {/* A condition of an address may compare as the form does not offer it. */}
          {[...new Set([...offered, comparison])].filter((one) => !isPeriodName(one)).map(option)}
          {offered.some(isPeriodName) && (
            <optgroup label={texts.clock.title}>
              {offered.filter(isPeriodName).map(option)}
            </optgroup>
          )}
        </select>
      </div>
      {found && (
        <ComparedWith
          key={`${rule.path} ${comparison}`}
          entity={entity}
          columns={columns}
          found={found}
          comparison={comparison}
          value={value}
          id={`${id}-value`}
          fault={isChecked ? ruleFault(found.field, { comparison, value }, isNegated) : undefined}
          onChange={(next) => set(rule.path, comparison, next ?? emptyOf(comparison, found.field))}
        />
      )}
    </>
  )
}

/** Undefined if it can be sent as it was typed: the service can read it, and it has one meaning. */
const ruleFault = (
  field: FilterField['field'],
  { comparison, value }: Pick<ReturnType<typeof comparisonOf>, 'comparison' | 'value'>,
  isNegated: boolean,
): ConditionFault | undefined => {
  const other = otherPathOf(comparison, value)
  if (other !== undefined) {
    if (other === '') return 'missing'
    return isNegated ? 'negated' : undefined
  }
  const numbers = kindOf(field).isNumber ? [value].flat() : []
  const tooMany = numbers.map((one) => tooManyDecimals(one, field)).find((one) => one !== undefined)
  return tooMany ?? faultOf(value, field, operandKind(comparison, field))
}

/** Whether a rule can be sent. */
export const isReady = (
  rule: FilterRule,
  found: FilterField | undefined,
  isNegated = false,
): boolean => !found || ruleFault(found.field, comparisonOf(rule), isNegated) === undefined

/** Moves the focus to the first field of a form that is wrong. */
export const focusFault = (form: HTMLElement): void =>
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()

// What a condition compares with: a value, another field of the record, or the clock.

type ComparedProps = {
  readonly id: string
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly found: FilterField
  readonly comparison: Comparison
  readonly value: unknown
  readonly fault: ConditionFault | undefined
  /** Undefined: nothing yet. */
  readonly onChange: (value: unknown) => void
}

// A field of the record, or of one that it links to, is enough to offer the choice.
const nearLinks = 1

const ComparedWith = (props: ComparedProps): ReactNode => {
  const { id, entity, found, comparison, value, fault, onChange } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const faultWords = useFaultWords()
  const other = otherPathOf(comparison, value)
  const isRelation = comparison in relations
  const offersField =
    other !== undefined ||
    (isRelation &&
      filterFields(entity, entities, nearLinks).some((one) => areComparable(found, one)))
  const ofClock = isOfClock(value) && isRelation ? value : undefined
  const offersClock =
    ofClock !== undefined || (isRelation && kindOf(found.field).time !== undefined)
  const choose = (kind: string) => {
    if (kind === 'field') onChange(otherField(''))
    else onChange(kind === 'clock' ? clockValue({ base: 'today', amount: '0' }) : undefined)
  }
  return (
    <div className="filter-input">
      {other !== undefined && <OtherField {...props} path={other} />}
      {ofClock && (
        <ClockInput
          id={id}
          value={ofClock}
          problem={fault && fault !== 'negated' ? faultWords(fault) : undefined}
          onChange={onChange}
        />
      )}
      {other === undefined && !ofClock && (
        <OperandInput
          id={id}
          comparison={comparison}
          value={value}
          onChange={onChange}
          entity={found.owner}
          field={found.field}
          fault={fault === 'negated' ? undefined : fault}
        />
      )}
      {(offersField || offersClock) && (
        <select
          className="field-input"
          aria-label={texts.comparedWith}
          value={ofClock ? 'clock' : other === undefined ? 'value' : 'field'}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="value">{texts.withValue}</option>
          {offersField && <option value="field">{texts.withField}</option>}
          {offersClock && <option value="clock">{texts.withClock}</option>}
        </select>
      )}
    </div>
  )
}

const OtherField = (props: ComparedProps & { readonly path: string }): ReactNode => {
  const { id, entity, columns, found, path, fault, onChange } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const faultWords = useFaultWords()
  const problem = fault && (fault === 'negated' ? texts.negatedFields : faultWords(fault))
  return (
    <div className="filter-input">
      <label htmlFor={id}>{texts.otherField}</label>
      <FieldChoice
        id={id}
        entity={entity}
        columns={columns}
        label={texts.otherField}
        chosen={filterFieldAt(path, entity, entities)?.label ?? path}
        offers={(one) => areComparable(found, one)}
        fault={problem}
        onChoose={(one) => onChange(otherField(one.path))}
      />
    </div>
  )
}

type ClockProps = {
  readonly id: string
  readonly value: Readonly<Record<string, unknown>>
  /** What is wrong with it. */
  readonly problem: string | undefined
  readonly onChange: (value: unknown) => void
}

/** The inputs of a day or a moment of the clock: how far it is from today, from now, or from the beginning of a period. */
const ClockInput = ({ id, value, problem, onChange }: ClockProps): ReactNode => {
  const texts = useWorkTexts().filter
  const { locale } = useReading()
  const [entered, setEntered] = useState(() => enteredOf(value))
  const change = (next: typeof entered) => {
    setEntered(next)
    onChange(clockValue(next))
  }
  return (
    <div className="filter-input">
      <label htmlFor={`${id}-base`}>{texts.clock.base}</label>
      <select
        className="field-input"
        id={`${id}-base`}
        value={entered.base}
        onChange={({ target }) => change({ ...entered, base: target.value as ClockBase })}
      >
        {clockBases.map((base) => (
          <option key={base} value={base}>
            {baseWords(base, texts, locale)}
          </option>
        ))}
      </select>
      <label htmlFor={id}>{texts.clock.amount}</label>
      <input
        id={id}
        className="field-input"
        autoComplete="off"
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-fault` : `${id}-help`}
        value={entered.amount}
        onChange={({ target }) => change({ ...entered, amount: target.value })}
      />
      <small id={`${id}-help`} className="filter-help">
        {texts.clock.help}
      </small>
      {problem && (
        <small id={`${id}-fault`} role="alert" className="filter-fault">
          {problem}
        </small>
      )}
    </div>
  )
}
