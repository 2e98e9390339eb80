/** The choice of columns: found by name, shown or not, and the way back to the first choice. */
import { type ReactNode, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import type { ListColumn } from '../values/columns.ts'
import { type ListSearch, withColumns } from './list-state.ts'

type ChoicesProps = {
  readonly entity: Entity
  readonly all: readonly ListColumn[]
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
  /** Gives columns their usual widths and places again. */
  readonly onUsualLook: () => void
}

export const ColumnChoices = (props: ChoicesProps): ReactNode => {
  const { all, columns, search, onChange, onUsualLook } = props
  const texts = useWorkTexts().columns
  const [sought, setSought] = useState('')
  const paths = columns.map(({ path }) => path)
  const shown = new Set(paths)
  const found = all.filter(({ label }) => label.toLowerCase().includes(sought.toLowerCase()))
  const toggle = (path: string) =>
    onChange(
      withColumns(search, shown.has(path) ? paths.filter((one) => one !== path) : [...paths, path]),
    )
  const reset = () => {
    onChange(withColumns(search, undefined))
    onUsualLook()
  }
  return (
    <>
      <input
        type="search"
        aria-label={texts.find}
        placeholder={texts.find}
        value={sought}
        onChange={({ target }) => setSought(target.value)}
      />
      <ul>
        {found.map(({ path, label }) => (
          <li key={path}>
            <label>
              <input
                type="checkbox"
                checked={shown.has(path)}
                disabled={shown.has(path) && paths.length === 1}
                onChange={() => toggle(path)}
              />
              <span dir="auto">{label}</span>
            </label>
          </li>
        ))}
      </ul>
      <Button look="quiet" onClick={reset}>
        {texts.reset}
      </Button>
    </>
  )
}
