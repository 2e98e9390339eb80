/** What a condition compares with: a value, another field of the record, or the clock. */
import { type ReactNode, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { type Comparison, kindOf } from '../format/field-kinds.ts'
import { useReading, useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { baseWords, clockValue } from './clock-entry.ts'
import { type ClockBase, clockBases, enteredOf, isOfClock } from './clock-values.ts'
import { otherField, otherPathOf, relations } from './comparisons.ts'
import { FieldChoice } from './field-choice.tsx'
import { areComparable, type FilterField, filterFieldAt, filterFields } from './filter-fields.ts'
import { OperandInput, useFaultWords } from './operand-input.tsx'
import type { ConditionFault } from './value-fault.ts'

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

export const ComparedWith = (props: ComparedProps): ReactNode => {
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
