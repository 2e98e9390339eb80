/** A choice of one among few. */
import type { ComponentProps, ReactNode } from 'react'

type Attribute = 'id' | 'required' | 'aria-label' | 'aria-describedby'

type ChoiceProps = Pick<ComponentProps<'select'>, Attribute> & {
  readonly value: string | undefined
  /** The label of no choice; without it one is always chosen. */
  readonly none?: string
  readonly options: readonly (readonly [value: string, name: string])[]
  /** Undefined: nothing is chosen. */
  readonly onChange: (value: string | undefined) => void
}

export const Choice = (props: ChoiceProps): ReactNode => {
  const { value = '', none, options, onChange, ...attributes } = props
  return (
    <select
      {...attributes}
      className="field-input"
      value={value}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {options.map(([key, name]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  )
}
