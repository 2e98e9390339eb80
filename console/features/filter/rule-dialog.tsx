/** The dialog of one condition, wherever it is opened: field, comparison, value. */
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useReading, useSession } from '../session/session.ts'
import type { Entities, ListColumn } from '../values/columns.ts'
import { ConditionFields, focusFault, isReady, newRule } from './condition-fields.tsx'
import { describeFilter, useWording } from './describe-filter.ts'
import { type FilterRule, parseFilter, withRule } from './filter.ts'
import { FilterDialog } from './filter-dialog.tsx'
import { type FilterField, filterFieldAt, filterFields, recordPath } from './filter-fields.ts'
import './filter-dialog.css'
import type { Condition, Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { unitPathOf } from '../format/format-value.ts'
import { FieldInput } from '../values/field-input.tsx'
import { comparisonOf, operandKind } from './comparisons.ts'

type FormProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  /** The filter that it changes. */
  readonly where: Condition | undefined
  /** The condition to change, by its place; without it a new one. */
  readonly at?: number
  readonly rule?: FilterRule | undefined
  /** Gets the filter with everything that was added. */
  readonly onDone: (where: Condition) => void
  readonly onCancel: () => void
  /** Opens the form of the whole filter, with what was added. */
  readonly onAdvanced: (where: Condition | undefined) => void
}

type DialogProps = Omit<FormProps, 'onDone' | 'onCancel' | 'onAdvanced'> & {
  readonly title: string
  readonly onChange: (where: Condition | undefined) => void
  readonly onClose: () => void
}

/**
 * Escape and Cancel close it and change nothing, also if conditions were added in it; the focus goes back to what
 * opened it. The form of the whole filter takes its place.
 */
export const RuleDialog = ({ title, onChange, onClose, ...form }: DialogProps): ReactNode => {
  const { entity, columns } = form
  const [whole, setWhole] = useState<{ readonly where: Condition | undefined }>()
  if (whole)
    return (
      <FilterDialog
        entity={entity}
        columns={columns}
        onChange={onChange}
        onClose={onClose}
        {...whole}
      />
    )
  return (
    <Dialog title={title} onClose={onClose}>
      <RuleForm
        {...form}
        onDone={(where) => {
          onClose()
          onChange(where)
        }}
        onCancel={onClose}
        onAdvanced={(where) => setWhole({ where })}
      />
    </Dialog>
  )
}

type ConditionProps = FormProps & {
  /** Whether a condition was just added; the focus is then on the field of the next one. */
  readonly isNext: boolean
  /** Begins the next condition. */
  readonly onNext: (where: Condition) => void
}

/** One condition after the other: each begins again, and what was added before is said. */
const RuleForm = (props: FormProps): ReactNode => {
  const [{ where, added }, setDraft] = useState({ where: props.where, added: 0 })
  const isNext = added > 0
  const rule = isNext ? undefined : props.rule
  return (
    <ConditionForm
      key={added}
      {...props}
      where={where}
      rule={rule}
      isNext={isNext}
      onNext={(next) => setDraft({ where: next, added: added + 1 })}
    />
  )
}

const ConditionForm = (props: ConditionProps): ReactNode => {
  const { entity, columns, where, at, onDone, onNext, isNext } = props
  const texts = useWorkTexts().filter
  const { rule, setRule, unit, setUnitRule, isChecked, isBlank, add } = useCondition(props)
  if (!rule) return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    // What was added before is enough, if nothing was begun since.
    if (isNext && where && isBlank && form.checkValidity()) onDone(where)
    else add(form, onDone)
  }
  return (
    <form className="rule-form" noValidate onSubmit={submit} ref={isNext ? focusFirst : undefined}>
      {isNext && where && <Added entity={entity} where={where} />}
      <ConditionFields
        entity={entity}
        columns={columns}
        rule={rule}
        isChecked={isChecked}
        onChange={setRule}
      />
      {unit && <UnitChoice key={unit.path} unit={unit} onChange={setUnitRule} />}
      <div className="rule-more">
        {at === undefined && (
          <Button look="quiet" onClick={({ currentTarget: { form } }) => form && add(form, onNext)}>
            {texts.addNext}
          </Button>
        )}
        <Button look="quiet" aria-haspopup="dialog" onClick={() => props.onAdvanced(where)}>
          {texts.advanced}
        </Button>
      </div>
      <DialogActions onCancel={props.onCancel}>
        <Button type="submit" look="primary">
          {texts.apply}
        </Button>
      </DialogActions>
    </form>
  )
}

const focusFirst = (form: HTMLFormElement | null): void => form?.querySelector('input')?.focus()

/** The condition of the form, and how it becomes a part of the filter. */
const useCondition = ({ entity, where, at, rule: given }: ConditionProps) => {
  const { entities } = useSession()
  const [begun] = useState(() => {
    const [first] = filterFields(entity, entities, 0)
    return given ?? (first && newRule(first))
  })
  const [rule, setRule] = useState(begun)
  const [unitRule, setUnitRule] = useState<FilterRule>()
  const [isChecked, setIsChecked] = useState(false)
  const unit = rule && mixedUnitOf(rule, where, entity, entities)
  /** Adds it and goes on, or shows what is wrong with it. */
  const add = (form: HTMLFormElement, goOn: (where: Condition) => void) => {
    const isRead = form.checkValidity()
    if (!rule || !isRead || !isReady(rule, filterFieldAt(rule.path, entity, entities))) {
      flushSync(() => setIsChecked(true))
      focusFault(form)
      return
    }
    const changed = withRule(where, rule, at)
    goOn(unitRule && unitRule.path === unit?.path ? withRule(changed, unitRule) : changed)
  }
  const isBlank = !unitRule && JSON.stringify(rule) === JSON.stringify(begun)
  return { rule, setRule, unit, setUnitRule, isChecked, isBlank, add }
}

type AddedProps = { readonly entity: Entity; readonly where: Condition }

/** The filter that will be applied, so far. */
const Added = ({ entity, where }: AddedProps): ReactNode => {
  const wording = useWording(entity, where)
  const items = parseFilter(where)?.items ?? []
  return (
    <div role="status" className="rule-added">
      {wording.texts.soFar}
      <ul>
        {items.map((item) => (
          <li key={JSON.stringify(item)} dir="auto">
            {describeFilter(item, wording)}
          </li>
        ))}
      </ul>
    </div>
  )
}

type ChoiceProps = {
  /** What names the unit. */
  readonly unit: FilterField
  /** Gets the condition on the unit; undefined: on none. */
  readonly onChange: (rule: FilterRule | undefined) => void
}

export const UnitChoice = ({ unit, onChange }: ChoiceProps): ReactNode => {
  const texts = useWorkTexts().filter
  const { timeZone } = useReading()
  const id = useId()
  const [value, setValue] = useState<unknown>(null)
  const { required: _required, ...field } = unit.field
  return (
    <div className="filter-input">
      <label htmlFor={id}>{texts.onlyUnit(unit.label)}</label>
      <FieldInput
        id={id}
        field={field}
        value={value}
        timeZone={timeZone}
        linked={undefined}
        isInvalid={false}
        describedBy={`${id}-help`}
        onChange={(given) => {
          setValue(given)
          const rule = { kind: 'rule', path: unit.path, operator: '$eq', value: given } as const
          onChange(given === null ? undefined : rule)
        }}
      />
      <small id={`${id}-help`} className="filter-help">
        {texts.mixedUnits}
      </small>
    </div>
  )
}

/** The paths that the conditions of one level are about. */
const comparedPaths = (where: Condition | undefined): readonly string[] =>
  (where && parseFilter(where)?.items)?.flatMap((item) =>
    item.kind === 'rule' ? item.path : [],
  ) ?? []

/** What names the unit of a number that a rule compares; undefined where there is one unit, or a condition on it. */
export const mixedUnitOf = (
  rule: FilterRule,
  where: Condition | undefined,
  entity: Entity,
  entities: Entities,
): FilterField | undefined => {
  const field = filterFieldAt(rule.path, entity, entities)?.field
  const unit = field && unitPathOf(field)
  if (!unit || operandKind(comparisonOf(rule).comparison, field) === 'nothing') return undefined
  const names = [...rule.path.split('.').slice(0, -1), unit].join('.')
  const path = recordPath(names, entity, entities)
  const isGiven = comparedPaths(where).some((one) => one === path || one.startsWith(`${path}.`))
  return isGiven ? undefined : filterFieldAt(path, entity, entities)
}
