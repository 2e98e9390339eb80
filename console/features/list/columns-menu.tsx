/** The choice of columns: found by name, shown or not, and the way back to the first choice. */
import { type ReactNode, useId, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { columnsIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ListColumn } from './columns.ts'
import { type ListSearch, withColumns } from './list-state.ts'
import './columns-menu.css'

type MenuProps = {
  readonly entity: Entity
  readonly all: readonly ListColumn[]
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
}

export const ColumnsMenu = (props: MenuProps): ReactNode => {
  const { list } = useTexts()
  const id = useId()
  return (
    <>
      <Button look="quiet" popoverTarget={id}>
        {columnsIcon} {list.columns}
      </Button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={list.columnsOf(props.entity.name)}
        className="columns-menu menu"
      >
        <Choices {...props} />
      </div>
    </>
  )
}

const Choices = ({ all, columns, search, onChange }: MenuProps): ReactNode => {
  const { list } = useTexts()
  const [sought, setSought] = useState('')
  const paths = columns.map(({ path }) => path)
  const shown = new Set(paths)
  const found = all.filter(({ label }) => label.toLowerCase().includes(sought.toLowerCase()))
  const toggle = (path: string) =>
    onChange(
      withColumns(search, shown.has(path) ? paths.filter((one) => one !== path) : [...paths, path]),
    )
  return (
    <>
      <input
        type="search"
        aria-label={list.findColumn}
        placeholder={list.findColumn}
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
      <Button look="quiet" onClick={() => onChange(withColumns(search, undefined))}>
        {list.resetColumns}
      </Button>
    </>
  )
}
