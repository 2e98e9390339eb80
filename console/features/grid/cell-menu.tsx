/** What can be done with a cell: edit it, filter by its value, copy it (context key, Shift+F10, right click). */
import { type ReactNode, useEffect, useRef } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Condition, Entity } from '../../api/types.ts'
import { type MenuItem, MenuList } from '../../parts/menu.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { ruleOf } from '../filter/comparisons.ts'
import { describeFilter, useWording } from '../filter/describe-filter.ts'
import { type FilterRule, withRule } from '../filter/filter.ts'
import { kindOf } from '../format/field-kinds.ts'
import { valueAt } from '../format/format-value.ts'
import type { ListColumn } from '../values/columns.ts'

type MenuProps = {
  readonly entity: Entity
  readonly row: ListRow
  readonly column: ListColumn
  /** The element of the cell. */
  readonly anchor: Element
  readonly where: Condition | undefined
  readonly onFilter: (where: Condition) => void
  /** Undefined where the cell is read only. */
  readonly onEdit: (() => void) | undefined
  readonly onClose: () => void
}

export const CellMenu = (props: MenuProps): ReactNode => {
  const { anchor, column, onClose } = props
  const texts = useWorkTexts().changedCell
  const list = useRef<HTMLDivElement>(null)
  const items = useItems(props)
  useEffect(() => {
    if (anchor instanceof HTMLElement) list.current?.showPopover({ source: anchor })
  }, [anchor])
  return <MenuList ref={list} label={texts.menu(column.label)} items={items} onClose={onClose} />
}

const useItems = (props: MenuProps): readonly MenuItem[] => {
  const { entity, row, column, where, onFilter, onEdit } = props
  const texts = useWorkTexts().changedCell
  const value = valueAt(row, column.place) ?? null
  // The row names the record that its link leads to.
  const wording = { ...useWording(entity), nameOf: () => String(value) }
  const filters = rulesOf(column, row).map((rule) => ({
    label: texts.only(describeFilter(rule, wording)),
    onSelect: () => onFilter(withRule(where, rule)),
  }))
  const copy = {
    label: texts.copy,
    isDisabled: value === null,
    onSelect: () => void navigator.clipboard.writeText(exactText(value)),
  }
  return [
    ...(onEdit ? [{ label: texts.editCell, onSelect: onEdit }] : []),
    ...filters,
    // Browsers have a clipboard for pages over HTTPS and of this machine alone.
    ...('clipboard' in navigator ? [copy] : []),
  ]
}

/** The conditions that a cell gives: its value, and every other one. A link is compared by its record. */
const rulesOf = ({ path, field, link, place }: ListColumn, row: ListRow): readonly FilterRule[] => {
  const id = link && row[link.idColumn]
  const value = link ? (id ?? null) : (valueAt(row, place) ?? null)
  const compared = link ? place.slice(0, -1).join('.') : path
  if (value === null) return [ruleOf(compared, 'empty', null), ruleOf(compared, 'filled', null)]
  if (kindOf(field).isStructured) return []
  return [ruleOf(compared, '$eq', value), ruleOf(compared, '$ne', value)]
}

/** The value as it is stored, so that every digit arrives. */
const exactText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)
