/** One condition among others: field, operator, value, and whether it is negated. */
import { type ReactNode, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useFilterTexts } from '../../texts/filter/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import type { ListColumn } from '../list/columns.ts'
import type { DraftRule } from './filter-draft.ts'
import { printOperand, readOperand } from './operand.ts'
import { OperandInput } from './operand-input.tsx'
import { operatorsOf } from './operators.ts'
import { useWording } from './use-wording.ts'

type ConditionProps = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  readonly item: DraftRule
  readonly onChange: (item: DraftRule) => void
  readonly onRemove: () => void
}

export const ConditionForm = (props: ConditionProps): ReactNode => {
  const { entity, columns, item, onChange, onRemove } = props
  const texts = useFilterTexts()
  const { filter } = useTexts()
  const { columnAt } = useWording(entity)
  const { rule } = item
  const { path, operator } = rule
  const [text, setText] = useState(printOperand(rule.value))
  const column = columns.find((one) => one.path === path) ?? columnAt(path)
  const fit = columns.filter(({ field }) => operatorsOf(field).length > 0)
  const choices = column && !fit.includes(column) ? [...fit, column] : fit
  const operators = column ? [...new Set([...operatorsOf(column.field), operator])] : [operator]
  const set = (next: Partial<typeof rule>) => onChange({ ...item, rule: { ...rule, ...next } })
  const setValue = (value: string, of = column, by = operator) => {
    setText(value)
    if (of) set({ path: of.path, operator: by, value: readOperand(value, of.field, by) })
  }
  const choose = (next: string) => {
    const found = choices.find((one) => one.path === next)
    const [usual] = found ? operatorsOf(found.field) : []
    if (found && usual) setValue('', found, usual)
  }
  return (
    <div className="filter-condition">
      <Choice label={filter.field} value={path} onChange={choose}>
        {choices.map((one) => ({ value: one.path, label: one.label }))}
      </Choice>
      <Choice
        label={filter.condition}
        value={operator}
        onChange={(next) => {
          const found = operators.find((one) => one === next)
          if (found) setValue(text, column, found)
        }}
      >
        {operators.map((one) => ({ value: one, label: filter.operators[one] }))}
      </Choice>
      {column && (
        <OperandInput
          {...{ entity, operator, field: column.field, value: text }}
          onChange={setValue}
        />
      )}
      <label className="filter-not">
        <input
          type="checkbox"
          checked={item.isNegated}
          onChange={({ target }) => onChange({ ...item, isNegated: target.checked })}
        />
        {filter.not}
      </label>
      <IconButton label={texts.removeCondition} icon={closeIcon} onClick={onRemove} />
    </div>
  )
}

type ChoiceProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children: readonly { readonly value: string; readonly label: string }[]
}

const Choice = ({ label, value, onChange, children }: ChoiceProps): ReactNode => (
  <label>
    {label}
    <select value={value} onChange={({ target }) => onChange(target.value)}>
      {children.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  </label>
)
