/** A choice between a few views of the same page: radio buttons that look like tabs. */
import { type ReactNode, useId } from 'react'
import './tabs.css'

type TabsProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly tabs: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
}

export const Tabs = <T extends string>({
  label,
  value,
  tabs,
  onChange,
}: TabsProps<T>): ReactNode => {
  const name = useId()
  return (
    <fieldset className="tabs">
      <legend className="visually-hidden">{label}</legend>
      {tabs.map((tab) => (
        <label key={tab.value}>
          <input
            type="radio"
            name={name}
            className="visually-hidden"
            checked={tab.value === value}
            onChange={() => onChange(tab.value)}
          />
          {tab.label}
        </label>
      ))}
    </fieldset>
  )
}
