/** The form of one condition: field, operator, value. */
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ListColumn } from '../list/columns.ts'
import type { FilterRule, Operator } from './filter.ts'
import { printOperand, readOperand } from './operand.ts'
import { OperandInput } from './operand-input.tsx'
import { operatorsOf } from './operators.ts'

type FormProps = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  /** The condition to change; without it a new one. */
  readonly rule?: FilterRule | undefined
  readonly onDone: (rule: FilterRule) => void
}

export const RuleForm = ({ entity, columns, rule, onDone }: FormProps): ReactNode => {
  const { filter } = useTexts()
  const fit = columns.filter(({ field }) => operatorsOf(field).length > 0)
  const [path, setPath] = useState(rule?.path ?? fit[0]?.path ?? 'id')
  const [operator, setOperator] = useState<Operator | undefined>(rule?.operator)
  const [value, setValue] = useState(printOperand(rule?.value))
  const column = columns.find((one) => one.path === path)
  // A condition of an address may have an operator that the form does not offer for the field.
  const own = rule?.path === path ? [rule.operator] : []
  const operators = column ? [...new Set([...operatorsOf(column.field), ...own])] : []
  const chosen = operator && operators.includes(operator) ? operator : operators[0]
  if (!column || !chosen) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const operand = readOperand(value, column.field, chosen)
    onDone({ kind: 'rule', path, operator: chosen, value: operand })
  }
  const choosePath = (next: string) => {
    setPath(next)
    setValue('')
  }
  return (
    <form className="rule-form" onSubmit={submit}>
      <label>
        {filter.field}
        <select value={path} onChange={({ target }) => choosePath(target.value)}>
          {fit.map((one) => (
            <option key={one.path} value={one.path}>
              {one.label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {filter.condition}
        <select value={chosen} onChange={({ target }) => setOperator(target.value as Operator)}>
          {operators.map((one) => (
            <option key={one} value={one}>
              {filter.operators[one]}
            </option>
          ))}
        </select>
      </label>
      <OperandInput
        {...{ entity, value, field: column.field, operator: chosen }}
        onChange={setValue}
      />
      <Button type="submit" look="primary">
        {filter.apply}
      </Button>
    </form>
  )
}
