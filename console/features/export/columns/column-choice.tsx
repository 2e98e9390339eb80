/** Which columns an export has: those of the list, those of the export settings, or any others. */
import { type ReactNode, useId, useMemo, useState } from 'react'
import type { Entity } from '../../../api/types.ts'
import { Button } from '../../../parts/button.tsx'
import { Combobox } from '../../../parts/combobox.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { useSession } from '../../session/session.ts'
import { ColumnOrder } from './column-order.tsx'
import {
  definedPaths,
  type ExportColumn,
  exportColumn,
  exportColumns,
  findColumns,
  isAmbiguous,
} from './export-columns.ts'

type ChoiceProps = {
  readonly entity: Entity
  /** Those of the list. */
  readonly listed: readonly string[]
  /** Undefined: those of the export settings. */
  readonly chosen: readonly string[] | undefined
  readonly isDisabled: boolean
  readonly onChange: (paths: readonly string[] | undefined) => void
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((path, at) => path === other[at])

export const ColumnChoice = (props: ChoiceProps): ReactNode => {
  const { entity, listed, chosen, isDisabled, onChange } = props
  const texts = useWorkTexts().export
  const { entities } = useSession()
  const defined = definedPaths(entity)
  const paths = chosen ?? defined
  const columns = paths.map((path) => exportColumn(path, entity, entities))
  return (
    <fieldset className="column-choice" disabled={isDisabled}>
      <legend>{texts.columnsChosen(paths.length)}</legend>
      <div className="column-sets">
        <Button
          look="quiet"
          aria-pressed={chosen !== undefined && isSame(chosen, listed)}
          onClick={() => onChange(listed)}
        >
          {texts.columnsOfList(listed.length)}
        </Button>
        <Button
          look="quiet"
          aria-pressed={chosen === undefined}
          onClick={() => onChange(undefined)}
        >
          {texts.columnsOfDefinition(defined.length)}
        </Button>
      </div>
      <AddColumn entity={entity} paths={paths} onAdd={(path) => onChange([...paths, path])} />
      <ColumnOrder columns={columns} isDisabled={isDisabled} onChange={onChange} />
    </fieldset>
  )
}

/** With its path where several have its label, or where it was found by its path. */
const optionOf = ({ path, label }: ExportColumn, all: readonly ExportColumn[], words: string) => {
  const isByLabel = label.toLowerCase().includes(words.trim().toLowerCase())
  return { key: path, label, ...((!isByLabel || isAmbiguous(all, label)) && { note: path }) }
}

type AddProps = {
  readonly entity: Entity
  readonly paths: readonly string[]
  readonly onAdd: (path: string) => void
}

/** Finds a column by its name or its path, over any number of links. */
const AddColumn = ({ entity, paths, onAdd }: AddProps): ReactNode => {
  const texts = useWorkTexts().export
  const { entities } = useSession()
  const id = useId()
  const [words, setWords] = useState<string>()
  const isSearching = words !== undefined
  const all = useMemo(
    () => (isSearching ? exportColumns(entity, entities) : []),
    [isSearching, entity, entities],
  )
  const rest = all.filter(({ path }) => !paths.includes(path))
  const found = isSearching
    ? findColumns(rest, words, entity, entities).filter(({ path }) => !paths.includes(path))
    : []
  return (
    <div>
      <label htmlFor={id}>{texts.addColumn}</label>
      <Combobox
        id={id}
        label={texts.addColumn}
        chosen=""
        words={words}
        options={found.map((column) => optionOf(column, all, words ?? ''))}
        onWords={setWords}
        onChoose={(option) => option && onAdd(option.key)}
      />
    </div>
  )
}
