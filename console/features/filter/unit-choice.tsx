/** Says that numbers of different units are compared, and offers to compare those of one alone. */
import { type ReactNode, useId, useState } from 'react'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { FieldInput } from '../values/field-input.tsx'
import type { FilterRule } from './filter.ts'
import type { FilterField } from './filter-fields.ts'

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
