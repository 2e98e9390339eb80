/** The records of a list by the values of a column: how many, and the sum of another column. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Group, groupsQuery } from '../../api/totals.ts'
import type { Condition, Criteria, Entity } from '../../api/types.ts'
import { IconButton } from '../../parts/button.tsx'
import { Dialog, DialogEnd } from '../../parts/dialog.tsx'
import { exportIcon } from '../../parts/icons.tsx'
import { ScrolledBody } from '../../parts/sections.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { ExportDialog } from '../export/export-dialog.tsx'
import { formatValue } from '../format/field-kinds.ts'
import { type ListSearch, withFilter } from '../grid/list-state.ts'
import { everything, matching } from '../grid/selection.ts'
import { Amounts, firstAddable, formatTotal } from '../grid/unit-sums.tsx'
import { useReading } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import './totals.css'

type DialogProps = {
  readonly entity: Entity
  readonly column: ListColumn
  /** The columns that can be added up. */
  readonly addable: readonly ListColumn[]
  /** Those that the list shows. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
  readonly onClose: () => void
}

/** A link is identified by its id, because several records may have the same name. */
const pathsOf = ({ path, link }: ListColumn): readonly string[] =>
  link ? [link.idColumn, path] : [path]

/** The filter of the list with the value of a group. */
const withGroup = (where: Condition | undefined, path: string, value: unknown): Condition => {
  const condition: Condition = { [path]: value === null ? { $null: true } : { $eq: value } }
  if (!where) return condition
  return path in where ? { $and: [where, condition] } : { ...where, ...condition }
}

export const GroupDialog = (props: DialogProps): ReactNode => {
  const { entity, column, columns, search, onChange, onClose } = props
  const texts = useWorkTexts().totals
  const addable = props.addable.filter((one) => one.path !== column.path)
  const [path, setPath] = useState(firstAddable(addable)?.path)
  const paths = pathsOf(column)
  const criteria = matching(everything, search)
  const summed = addable.find((one) => one.path === path)
  const { data, error, sumsOf, areSumsComplete } = useGroups({ entity, criteria, paths, summed })
  const [exported, setExported] = useState<Group>()
  const searchOf = (group: Group) => {
    const [first = column.path] = paths
    return withFilter(search, withGroup(search.w, first, group.key[first]))
  }
  const show = (group: Group) => {
    onChange(searchOf(group))
    onClose()
  }
  return (
    <>
      <Dialog title={texts.groupTitle(column.label)} onClose={onClose}>
        <SumChoice addable={addable} path={path} onChange={setPath} />
        {error && <p role="alert">{error.message}</p>}
        {data && (
          <Groups
            entity={entity}
            column={column}
            summed={summed}
            sumsOf={sumsOf}
            groups={data.groups}
            onShow={show}
            onExport={setExported}
          />
        )}
        {data && !data.groupsAreComplete && <p>{texts.incomplete(data.groups.length)}</p>}
        {!areSumsComplete && <p>{texts.sumsIncomplete}</p>}
        <DialogEnd onClose={onClose} look="plain" />
      </Dialog>
      {exported && (
        <ExportDialog
          entity={entity}
          columns={columns}
          search={searchOf(exported)}
          count={exported.count}
          onClose={() => setExported(undefined)}
        />
      )}
    </>
  )
}

type ChoiceProps = {
  readonly addable: readonly ListColumn[]
  readonly path: string | undefined
  readonly onChange: (path: string | undefined) => void
}

const SumChoice = ({ addable, path, onChange }: ChoiceProps): ReactNode => {
  const texts = useWorkTexts().totals
  if (addable.length === 0) return null
  return (
    <select
      className="totals-choice"
      aria-label={texts.column}
      value={path ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    >
      {addable.map((one) => (
        <option key={one.path} value={one.path}>
          {texts.sumOf(one.label)}
        </option>
      ))}
      <option value="">{texts.countOnly}</option>
    </select>
  )
}

type GroupsProps = {
  readonly entity: Entity
  readonly column: ListColumn
  readonly summed: ListColumn | undefined
  readonly groups: readonly Group[]
  readonly sumsOf: (group: Group) => readonly string[]
  readonly onShow: (group: Group) => void
  readonly onExport: (group: Group) => void
}

const Groups = (props: GroupsProps): ReactNode => {
  const { entity, column, summed, groups, sumsOf, onShow, onExport } = props
  const isExportable = entity.permissions.export !== false
  const texts = useWorkTexts().totals
  const reading = useReading()
  const nameOf = ({ key }: Group): string => {
    const value = key[column.path]
    const step = entity.workflow?.steps.find((one) => one.key === value)
    if (column.path === '_step' && step?.name) return step.name
    return formatValue(value, column.field, reading) || texts.empty
  }
  if (groups.length === 0) return <p>{texts.none}</p>
  return (
    <ScrolledBody className="totals-groups" label={texts.groupTitle(column.label)}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.group}</th>
            <th scope="col">{texts.count}</th>
            {summed && <th scope="col">{texts.sumOf(summed.label)}</th>}
            {isExportable && <td />}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={JSON.stringify(group.key)}>
              <th scope="row">
                <button
                  type="button"
                  aria-label={texts.filterBy(nameOf(group))}
                  onClick={() => onShow(group)}
                >
                  <span dir="auto">{nameOf(group)}</span>
                </button>
              </th>
              <td>{new Intl.NumberFormat(reading.locale).format(group.count)}</td>
              {summed && (
                <td className="totals-sums">
                  {sumsOf(group).length > 0 ? <Amounts texts={sumsOf(group)} /> : '–'}
                </td>
              )}
              {isExportable && (
                <td>
                  <IconButton
                    label={texts.exportGroup(nameOf(group))}
                    icon={exportIcon}
                    aria-haspopup="dialog"
                    onClick={() => onExport(group)}
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrolledBody>
  )
}

type GroupQuery = {
  readonly entity: Entity
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  /** The records are grouped by these; the first path identifies a group. */
  readonly paths: readonly string[]
  readonly summed: ListColumn | undefined
}

const keyOf = ({ key }: Group, [first = '']: readonly string[]) => JSON.stringify(key[first])

/** The groups of a list with their sums: one for each unit if the numbers have different ones. */
const useGroups = ({ entity, criteria, paths, summed }: GroupQuery) => {
  const reading = useReading()
  const unitPath = summed?.unit?.path
  const path = summed?.path
  const query = { entity: entity.key, criteria }
  // A group that is counted together may have several units.
  const hasOneUnit = unitPath === undefined
  const groups = useQuery(groupsQuery({ ...query, path: hasOneUnit ? path : undefined }, paths))
  const byUnit = useQuery({
    ...groupsQuery({ ...query, path }, [...new Set([...paths, unitPath ?? ''])]),
    enabled: !hasOneUnit,
  })
  const areSumsComplete = hasOneUnit || byUnit.data?.groupsAreComplete !== false
  const parts = Map.groupBy((hasOneUnit ? groups.data : byUnit.data)?.groups ?? [], (group) =>
    keyOf(group, paths),
  )
  // The sums of the last group may be incomplete.
  if (!areSumsComplete) parts.delete([...parts.keys()].at(-1) ?? '')
  const sumsOf = (group: Group): readonly string[] =>
    (parts.get(keyOf(group, paths)) ?? []).flatMap((part) => {
      const unit = unitPath === undefined ? undefined : part.key[unitPath]
      const text = summed && path ? formatTotal(part.sum?.[path], 'sum', summed, reading, unit) : ''
      return text === '' ? [] : [text]
    })
  return {
    data: groups.data,
    error: groups.error ?? (hasOneUnit ? null : byUnit.error),
    areSumsComplete,
    sumsOf,
  }
}
