/** Which columns an export has, and their order. */
import { type KeyboardEvent, type ReactNode, useId, useMemo, useRef, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { useRowDrag } from '../../parts/use-row-drag.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { columnsAt, columnsOf, type Entities, linkedEntity } from '../values/columns.ts'
import './export.css'

type ChoiceProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly listed: readonly string[]
  /** The chosen columns; undefined for those of the export settings. */
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

/** An option; it shows the path if several columns have the label, or the path was searched for. */
const optionOf = ({ path, label }: ExportColumn, all: readonly ExportColumn[], words: string) => {
  const isByLabel = label.toLowerCase().includes(words.trim().toLowerCase())
  return { key: path, label, ...((!isByLabel || isAmbiguous(all, label)) && { note: path }) }
}

type AddProps = {
  readonly entity: Entity
  readonly paths: readonly string[]
  readonly onAdd: (path: string) => void
}

/** Finds a column by its label or its path, over any number of links. */
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

type OrderProps = {
  readonly columns: readonly ExportColumn[]
  readonly isDisabled: boolean
  readonly onChange: (paths: readonly string[]) => void
}

/** The active column, and moving and removing columns. */
const useOrder = ({ columns, isDisabled, onChange }: OrderProps) => {
  const texts = useWorkTexts().export
  const [place, setActive] = useState(0)
  const [announced, announce] = useState('')
  const paths = columns.map(({ path }) => path)
  const last = paths.length - 1
  const active = Math.min(place, last)
  const move = (from: number, to: number) => {
    const column = columns[from]
    if (isDisabled || !column || to < 0 || to > last) return
    setActive(to)
    announce(texts.moved(column.label, to + 1, paths.length))
    onChange(paths.toSpliced(from, 1).toSpliced(to, 0, column.path))
  }
  const remove = (at: number) => {
    const column = columns[at]
    if (isDisabled || !column || last === 0) return
    announce(texts.removed(column.label))
    onChange(paths.toSpliced(at, 1))
  }
  return { active, last, announced, setActive, move, remove }
}

/** The place in the list that a key leads to. */
const nextOf = (key: string, active: number, last: number): number | undefined => {
  if (key === 'ArrowUp') return Math.max(active - 1, 0)
  if (key === 'ArrowDown') return Math.min(active + 1, last)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

/** The columns in their order, changed by dragging, by keys and by buttons (WAI-ARIA listbox). */
const ColumnOrder = (props: OrderProps): ReactNode => {
  const { columns, isDisabled } = props
  const texts = useWorkTexts().export
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const { active, last, announced, setActive, move, remove } = useOrder(props)
  const show = (at: number) => {
    setActive(at)
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextOf(event.key, active, last)
    if (next !== undefined) event.altKey ? move(active, next) : show(next)
    else if (event.key === 'Delete') remove(active)
    else return
    event.preventDefault()
  }
  return (
    <div className="column-order">
      <div
        ref={list}
        role="listbox"
        tabIndex={0}
        aria-label={texts.order}
        aria-describedby={`${id}-hint`}
        aria-activedescendant={`${id}-${active}`}
        onKeyDown={onKeyDown}
      >
        <Options
          id={id}
          columns={columns}
          active={active}
          setActive={setActive}
          remove={remove}
          move={move}
        />
      </div>
      <p id={`${id}-hint`}>{texts.orderHint}</p>
      <div className="column-order-buttons">
        <Button disabled={isDisabled || active === 0} onClick={() => move(active, active - 1)}>
          {texts.up}
        </Button>
        <Button disabled={isDisabled || active === last} onClick={() => move(active, active + 1)}>
          {texts.down}
        </Button>
        <Button disabled={isDisabled || last === 0} onClick={() => remove(active)}>
          {texts.remove}
        </Button>
      </div>
      <p role="status" className="visually-hidden">
        {announced}
      </p>
    </div>
  )
}

type OptionsProps = Pick<OrderProps, 'columns'> &
  Pick<ReturnType<typeof useOrder>, 'active' | 'setActive' | 'move' | 'remove'> & {
    readonly id: string
  }

/** The options. Keys of the list do what their grip and cross do. */
const Options = ({ id, columns, active, setActive, remove, move }: OptionsProps): ReactNode => {
  const { gripOf, lookOf } = useRowDrag(move)
  return columns.map(({ path, label }, at) => (
    <div
      key={path}
      id={`${id}-${at}`}
      role="option"
      tabIndex={-1}
      aria-selected={at === active}
      {...lookOf(at, columns.length)}
      onPointerDown={() => setActive(at)}
    >
      <span aria-hidden="true" className="column-grip" {...gripOf(at)}>
        ⠿
      </span>
      <span dir="auto" title={path}>
        {label}
      </span>
      {isAmbiguous(columns, label) && <small dir="ltr">{path}</small>}
      {columns.length > 1 && (
        <span aria-hidden="true" className="column-cross" onPointerUp={() => remove(at)}>
          ×
        </span>
      )}
    </div>
  ))
}

// The columns that an export of an entity can have, each with its path and label.

type ExportColumn = { readonly path: string; readonly label: string }

/** Whether several columns have this label, so that they need their paths. */
const isAmbiguous = (columns: readonly ExportColumn[], label: string): boolean =>
  columns.filter((column) => column.label === label).length > 1

/** The columns of the export settings that the user may read. */
const definedPaths = ({ exportSettings }: Entity): readonly string[] =>
  exportSettings.columnDefs.map(({ field }) => field)

/** The column of a path; without a label it has its path. */
const exportColumn = (path: string, entity: Entity, entities: Entities): ExportColumn => {
  const defined = entity.exportSettings.columnDefs.find(({ field }) => field === path)?.label
  const [listed] = columnsAt([path], entity, entities)
  const setLabel = defined === path ? undefined : defined
  // A list shows the name of a link; an export may have its id too.
  const isId = listed !== undefined && listed.path !== path
  const label = listed && (isId ? `${listed.label} (id)` : listed.label)
  return { path, label: setLabel ?? label ?? path }
}

/** The columns over two links and more. */
const pathsBehind = (entity: Entity, entities: Entities): readonly string[] =>
  entity.fields.flatMap((field) => {
    const linked = linkedEntity(field, entities)
    return linked ? columnsOf(linked, entities).map(({ path }) => `${field.key}.${path}`) : []
  })

/** All columns to choose from: those of lists and of the export settings, the ids of links, and columns behind links. */
const exportColumns = (entity: Entity, entities: Entities): readonly ExportColumn[] => {
  const listed = columnsOf(entity, entities)
  const paths = [
    ...listed.map(({ path }) => path),
    ...definedPaths(entity),
    ...listed.flatMap(({ link }) => link?.idColumn ?? []),
    ...pathsBehind(entity, entities),
  ]
  return [...new Set(paths)].map((path) => exportColumn(path, entity, entities))
}

const mostFound = 20

/** The columns whose label or path has these words, and the column with exactly this path. */
const findColumns = (
  all: readonly ExportColumn[],
  words: string,
  entity: Entity,
  entities: Entities,
): readonly ExportColumn[] => {
  const path = words.trim()
  const parts = path.toLowerCase().split(/\s+/)
  const found = all.filter((one) => {
    const text = `${one.label}\n${one.path}`.toLowerCase()
    return parts.every((word) => text.includes(word))
  })
  const isFurther =
    !all.some((one) => one.path === path) && columnsAt([path], entity, entities).length > 0
  return [
    ...(isFurther ? [exportColumn(path, entity, entities)] : []),
    ...found.slice(0, mostFound),
  ]
}
