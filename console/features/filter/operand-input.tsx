/** The input for what a condition compares with, by the type of the field. */
import type { ReactNode } from 'react'
import type { Entity, Field } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Operator } from './filter.ts'
import { type OperandKind, operandOf } from './operators.ts'

type InputProps = {
  readonly field: Field
  /** Whose steps `_step` has. */
  readonly entity: Entity
  readonly operator: Operator
  /** As text; several values stand on lines of their own. */
  readonly value: string
  readonly onChange: (value: string) => void
}

export const OperandInput = (props: InputProps): ReactNode => {
  const { filter, common } = useTexts()
  const { field, operator, value, onChange } = props
  const kind: OperandKind = operandOf(operator)
  if (kind === 'presence')
    return choice(filter.value, value, onChange, [
      { value: 'true', label: filter.empty },
      { value: 'false', label: filter.filled },
    ])
  const options = optionsOf(props, common)
  if (options && (operator === '$eq' || operator === '$ne'))
    return choice(filter.value, value, onChange, options)
  if (kind === 'several')
    return (
      <label>
        {filter.values}
        <textarea
          rows={4}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          required
        />
      </label>
    )
  return (
    <label>
      {filter.value}
      <input
        {...attributesOf(field)}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        required
      />
    </label>
  )
}

type Option = { readonly value: string; readonly label: string }

const choice = (
  label: string,
  value: string,
  onChange: (value: string) => void,
  options: readonly Option[],
): ReactNode => (
  <label>
    {label}
    <select value={value} onChange={({ target }) => onChange(target.value)} required>
      <option value="" />
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  </label>
)

const optionsOf = (
  { field, entity }: InputProps,
  common: { readonly yes: string; readonly no: string },
): readonly Option[] | undefined => {
  if (field.type === 'boolean')
    return [
      { value: 'true', label: common.yes },
      { value: 'false', label: common.no },
    ]
  if (field.column === '_step')
    return entity.workflow?.steps.map(({ key, name }) => ({ value: key, label: name ?? key }))
  return field.values?.map((value) => ({ value, label: value }))
}

const attributesOf = ({
  type,
}: Field): { readonly type?: string; readonly inputMode?: 'decimal' | 'numeric' } => {
  if (type === 'date') return { type: 'date' }
  if (type === 'timestamp') return { type: 'datetime-local' }
  if (type === 'integer' || type === 'bigint' || type === 'manyToOne')
    return { inputMode: 'numeric' }
  return type === 'decimal' ? { inputMode: 'decimal' } : {}
}
