/** A JSON value for people: names and values below each other, and its text on demand. */
import type { ReactNode } from 'react'
import { Facts } from '../../parts/facts.tsx'
import { nameOfKey } from '../values/format-value.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Numbers that JavaScript cannot hold are objects that print themselves. */
const isSimple = (value: unknown): boolean => !Array.isArray(value) && !isObject(value)

export const JsonView = ({ value }: { readonly value: unknown }): ReactNode => (
  <div>
    <Value value={value} />
    {!isSimple(value) && (
      <details className="field-help">
        <summary>JSON</summary>
        <pre dir="ltr">{JSON.stringify(value, null, 2)}</pre>
      </details>
    )}
  </div>
)

const Value = ({ value }: { readonly value: unknown }): ReactNode => {
  if (isObject(value))
    return (
      <Facts
        facts={Object.entries(value).map(([key, one]) => ({
          label: nameOfKey(key),
          value: <Value value={one} />,
        }))}
      />
    )
  if (!Array.isArray(value)) return <bdi>{value === null ? '–' : String(value)}</bdi>
  if (value.every(isSimple)) return <bdi>{value.join(', ')}</bdi>
  return (
    <ul>
      {value.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries of a stored list stay in their places
        <li key={at}>
          <Value value={one} />
        </li>
      ))}
    </ul>
  )
}
