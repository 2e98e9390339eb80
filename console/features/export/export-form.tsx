/** What a user chooses of an export: its records, its format and its columns. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  type CsvDialectName,
  csvDialects,
  namesOf,
} from '../../../src/definitions/values/rules/csv-dialects.ts'
import { countQuery } from '../../api/queries.ts'
import type { Condition, Criteria, Entity } from '../../api/types.ts'
import { Choice } from '../../parts/choice.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { describeFilter, useWording } from '../filter/describe-filter.ts'
import { parseFilter, simplest } from '../filter/filter.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { useReading, useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { ColumnChoice } from './column-choice.tsx'
import { type ExportRequest, type Format, formats } from './export-request.ts'

/** The list that is exported, as its page has it. */
export type ExportedList = {
  readonly entity: Entity
  /** The columns that the list shows. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  /** The number of records that match. */
  readonly count: number | undefined
  /** The selected records; undefined if none is selected. */
  readonly selected?: SelectedRecords | undefined
}

type SelectedRecords = {
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  readonly count: number | undefined
}

type RecordsProps = {
  readonly list: ExportedList
  readonly rows: ExportChoice['rows']
  /** The number of records in the file. */
  readonly count: number | undefined
  readonly isDisabled: boolean
  readonly onRows: (rows: ExportChoice['rows']) => void
}

/** Which records an export has: how many, by which filter, all or the selected ones. */
export const ExportRecords = (props: RecordsProps): ReactNode => {
  const { list, rows, count, isDisabled, onRows } = props
  const texts = useTexts()
  const exportTexts = useWorkTexts().export
  return (
    <div className="export-records">
      {list.selected === undefined ? (
        <p>
          <strong>{count !== undefined && texts.list.rows(count)}</strong>
        </p>
      ) : (
        <fieldset disabled={isDisabled}>
          <legend>{exportTexts.rows}</legend>
          <Radio
            name="rows"
            isChosen={rows === 'selected'}
            label={exportTexts.rowsSelected(list.selected.count ?? 0)}
            onChoose={() => onRows('selected')}
          />
          <Radio
            name="rows"
            isChosen={rows === 'all'}
            label={exportTexts.rowsAll(list.count ?? 0)}
            onChoose={() => onRows('all')}
          />
        </fieldset>
      )}
      <Filter {...list} />
      {exportsOwnOnly(list.entity) && <p>{exportTexts.ownOnly}</p>}
    </div>
  )
}

/** The filter of the records in words. */
const Filter = ({ entity, search }: ExportedList): ReactNode => {
  const texts = useWorkTexts().export
  const wording = useWording(entity, search.w)
  const filter = search.w && parseFilter(search.w)
  const words = filter ? describeFilter(simplest(filter), wording) : JSON.stringify(search.w)
  if (search.w === undefined && search.q === undefined) return <p>{texts.noFilter}</p>
  return (
    <>
      {search.q !== undefined && <p dir="auto">{texts.search(search.q)}</p>}
      {search.w && <p dir="auto">{texts.filter(words)}</p>}
    </>
  )
}

/** Whether the role exports fewer records than it reads. */
const exportsOwnOnly = ({ permissions }: Entity): boolean =>
  permissions.export === 'own' && permissions.read !== 'own'

const ownColumns = ({ ownership }: Entity): readonly string[] =>
  ownership ? ['_created_by', '_owned_by'] : ['_created_by']

/** The records of a user; undefined if the role may not see whose they are. */
const ownCondition = (entity: Entity, userId: number): Condition | undefined => {
  const columns = ownColumns(entity)
  const isKnown = columns.every((name) => entity.fields.some(({ column }) => column === name))
  return isKnown ? { $or: columns.map((column) => ({ [column]: { $eq: userId } })) } : undefined
}

/** How many records an export will have; undefined if that is known only afterwards. */
export const useExportCount = (
  { entity, count, selected }: ExportedList,
  rows: ExportChoice['rows'],
  { criteria }: ExportRequest,
): number | undefined => {
  const { id } = useSession().me
  const own = exportsOwnOnly(entity) ? ownCondition(entity, id) : undefined
  const { $where, $search } = criteria
  const narrowed = own && { $where: $where ? { $and: [$where, own] } : own }
  const counted = useQuery({
    ...countQuery({ entity: entity.key, criteria: { ...narrowed, ...($search && { $search }) } }),
    enabled: own !== undefined,
  })
  if (exportsOwnOnly(entity)) return own && counted.data
  return rows === 'selected' ? selected?.count : count
}

export type ExportChoice = {
  readonly format: Format
  /** Undefined for that of the project. */
  readonly csv: CsvDialectName | undefined
  /** Undefined for the default of the format. */
  readonly hasNames: boolean | undefined
  /** All records that match, or the selected ones. */
  readonly rows: 'all' | 'selected'
  /** Paths; undefined for the columns of the export settings. */
  readonly columns: readonly string[] | undefined
}

/** People read workbooks; programs read the other formats, and need keys. */
export const hasNamesOf = ({ format, hasNames }: ExportChoice): boolean =>
  hasNames ?? format === 'xlsx'

type FormProps = {
  readonly entity: Entity
  readonly choice: ExportChoice
  /** The columns of the list. */
  readonly listed: readonly string[]
  readonly isDisabled: boolean
  readonly onChange: (choice: ExportChoice) => void
}

/** The format and the columns of an export. */
export const ExportForm = (props: FormProps): ReactNode => {
  const { entity, choice, listed, isDisabled, onChange } = props
  const texts = useWorkTexts().export
  return (
    <div className="export-form">
      <fieldset disabled={isDisabled}>
        <legend>{texts.format}</legend>
        {formats.map((format) => (
          <Radio
            key={format}
            name="format"
            isChosen={choice.format === format}
            label={texts.formats[format]}
            onChoose={() => onChange({ ...choice, format })}
          />
        ))}
        <label>
          <input
            type="checkbox"
            checked={hasNamesOf(choice)}
            onChange={({ target }) => onChange({ ...choice, hasNames: target.checked })}
          />
          {texts.names}
        </label>
        {choice.format === 'csv' && (
          <DialectChoice chosen={choice.csv} onChange={(csv) => onChange({ ...choice, csv })} />
        )}
      </fieldset>
      <ColumnChoice
        entity={entity}
        listed={listed}
        isDisabled={isDisabled}
        chosen={choice.columns}
        onChange={(columns) => onChange({ ...choice, columns })}
      />
    </div>
  )
}

const excel = 'excel-'
const dialects = namesOf(csvDialects).filter((name) => name.startsWith(excel))

type DialectProps = {
  readonly chosen: CsvDialectName | undefined
  readonly onChange: (csv: CsvDialectName | undefined) => void
}

/** As the project has it, or for the Excel of a language. */
const DialectChoice = ({ chosen, onChange }: DialectProps): ReactNode => {
  const texts = useWorkTexts().export
  const { locale } = useReading()
  const languages = new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' })
  return (
    <label className="export-dialect">
      {texts.dialect}
      <Choice
        value={chosen}
        none={texts.dialectOfProject}
        options={dialects.map((name) => [name, `Excel: ${languages.of(name.slice(excel.length))}`])}
        onChange={(value) => onChange(dialects.find((name) => name === value))}
      />
    </label>
  )
}

type RadioProps = {
  readonly name: string
  readonly isChosen: boolean
  readonly label: string
  readonly onChoose: () => void
}

const Radio = ({ name, isChosen, label, onChoose }: RadioProps): ReactNode => (
  <label>
    <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
    {label}
  </label>
)
