/** The inputs of one condition: field, comparison, and what is compared with. */
import { type ReactNode, useId, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { type Comparison, comparisonsOf, kindOf } from '../format/field-kinds.ts'
import { isPeriodName } from '../format/period-names.ts'
import { useReading, useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { tooManyDecimals } from '../values/number-text.ts'
import { ComparedWith } from './compared-with.tsx'
import { comparisonOf, operandKind, otherPathOf, ruleOf } from './comparisons.ts'
import { FieldChoice } from './field-choice.tsx'
import type { FilterRule } from './filter.ts'
import { type FilterField, filterFieldAt } from './filter-fields.ts'
import { isTimed, withoutSpan, withSpan } from './spans.ts'
import { useComparisonWords } from './use-wording.ts'
import { type ConditionFault, faultOf } from './value-fault.ts'
import './condition-fields.css'

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
