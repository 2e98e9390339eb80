/** Names and values below each other. */
import type { ReactNode } from 'react'
import './facts.css'

export type Fact = { readonly label: string; readonly value: ReactNode }

/** Without those that have no value. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }): ReactNode => (
  <dl className="facts">
    {facts
      .filter(
        ({ value }) => value !== null && value !== undefined && value !== false && value !== '',
      )
      .map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
  </dl>
)
