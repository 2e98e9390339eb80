/** A JSON value for people: names and values below each other, large parts folded, and its text on demand. */
import type { ReactNode } from 'react'
import { nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import { Facts } from '../../parts/facts.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import './values.css'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Numbers that JavaScript cannot hold are objects that print themselves. */
const isSimple = (value: unknown): boolean => !Array.isArray(value) && !isObject(value)

// A part with more values is folded.
const mostOpen = 8

const countValues = (value: unknown): number =>
  isSimple(value)
    ? 1
    : Object.values(value ?? {}).reduce<number>((sum, one) => sum + countValues(one), 0)

export const JsonView = ({ value }: { readonly value: unknown }): ReactNode => (
  <div className="json-view">
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
          value: <Part value={one} />,
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

/** A value inside of another one: if it has several of its own, it can be folded. */
const Part = ({ value }: { readonly value: unknown }): ReactNode => {
  const { entries } = useWorkTexts().json
  if (isSimple(value) || (Array.isArray(value) && value.every(isSimple)))
    return <Value value={value} />
  return (
    <details open={countValues(value) <= mostOpen}>
      <summary>{entries(Object.keys(value ?? {}).length)}</summary>
      <Value value={value} />
    </details>
  )
}
