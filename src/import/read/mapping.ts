/** Which columns of an entity the heads of a file mean, and how their cells are read. */
import { type List, resolvePath } from '../../definitions/association-path.ts'
import {
  type Catalog,
  type Column,
  type Entity,
  nameColumn,
  uniqueIndexes,
} from '../../definitions/catalog.ts'
import { isFileColumn } from '../../definitions/files.ts'
import { throughList } from '../../definitions/lines.ts'
import { hasValueNames, valueNamesOf } from '../../definitions/value-names.ts'
import { shorten } from '../../issues.ts'
import { decideForms } from './column-forms.ts'
import { type FoundHead, findHead, type HeadNames, headNames, isLinkName } from './heads.ts'
import type {
  DayOrder,
  DecimalMark,
  HeadIssue,
  Sheet,
  SheetFormat,
  SheetNote,
  SheetRow,
} from './sheet.ts'
import { isHeadless, writtenHeads } from './unique-heads.ts'
import { namesUploads } from './upload-ids.ts'

/** What the reading has to know about the project. */
export type ReadingProject = {
  /** The definitions. */
  readonly catalog: Catalog
  /** The same in each of the project's languages, its own first: heads and choices may be named in any of them. */
  readonly languages: readonly Catalog[]
  /** The zone of times without an offset whose head names none. */
  readonly timeZone: string
}

/**
 * What a column of the file is for: `value` of a field, `link` to a record by a unique path of its entity, `id` of the record itself,
 * `history` (`_step`, `_created_at`, `_created_by`, what actions fill with their caller: only some callers may write it), or `none`: it is
 * read and not written, such as a calculated field, or the name of a linked record that another column identifies.
 */
type ColumnUse = 'value' | 'link' | 'id' | 'history' | 'none'

export type MappedColumn = {
  /** In `cells` of a row, from 0. */
  readonly position: number
  /** As in the file. */
  readonly head: string
  readonly use: ColumnUse
  /** Of the entity: `supplier.code`, `total`, `_step`, `lines.position`. */
  readonly path: string
  /** The list whose records have it, and are written with those of the entity; undefined: the entity itself has it. */
  readonly list: List | undefined
  /** The column that is written; of a link the column that holds the id. */
  readonly column: Column
  /** Of a link: what identifies the record. A link by its id has the path `id`. A link of history has it too. */
  readonly link: LinkPath | undefined
  /** Of the file: CSV guards texts against formulas, and the texts of JSON are exact. */
  readonly format: SheetFormat
  /** Of times: that which the head names, else that of the project. */
  readonly timeZone: string
  /** Undefined where no value of the first rows needs it, or nothing decides, which is an issue. */
  readonly decimal: DecimalMark | undefined
  readonly dates: DayOrder | undefined
  /** Of choices, steps and booleans: the value by what may be written for it, in lower case. Of others: what was given. */
  readonly words: ReadonlyMap<string, string> | undefined
}

export type LinkPath = {
  /** From the linked entity on: `id`, `code`, `account.email`. */
  readonly path: string
  /** The entity that is linked. */
  readonly target: Entity
  /** Unique links on the way after the first, then the unique column at the end. */
  readonly steps: readonly Column[]
  readonly column: Column
}

/** What people say about a column of the file, by its head. `null`: it is left out. */
export type GivenColumns = Readonly<Record<string, GivenColumn | string | null>>
export type GivenColumn = {
  /** A path of the entity. */
  readonly field: string
  readonly decimal?: DecimalMark | undefined
  readonly dates?: DayOrder | undefined
  /** The value by what the file has for it. */
  readonly values?: Readonly<Record<string, string>> | undefined
}

/** In place of a head, with null: columns that no head and nothing else says a field of are left out. */
export const otherColumns = '*'

export type Mapping = {
  readonly columns: readonly MappedColumn[]
  readonly issues: readonly HeadIssue[]
  readonly notes: readonly SheetNote[]
}

type Mapped =
  | { readonly column: MappedColumn }
  | { readonly message: string; readonly isUnknown?: boolean }
  | undefined

type SheetPart = Pick<Sheet, 'heads' | 'sample' | 'dialect'>

/**
 * Every head that an export of Docket writes, in every format and language, maps by itself. A right to read or write is not
 * asked here: give the catalog as the caller sees it.
 */
export const mapHeads = (
  project: ReadingProject,
  entity: Entity,
  sheet: SheetPart,
  given: GivenColumns = {},
): Mapping => {
  const { heads, sample, dialect } = sheet
  const names = headNames(project, entity)
  const isGiven = (position: number) => Object.hasOwn(given, heads[position] ?? '')
  // What is said of one of several columns with the same head decides the others.
  const written = writtenHeads(heads).map((head, position) => (isGiven(position) ? '' : head))
  const issues: HeadIssue[] = []
  const notes: SheetNote[] = []
  const mapped = heads.flatMap((head, position) => {
    const mapper = { project, entity, sheet, given, names, written, issues, notes }
    const one = mapHead(mapper, head, position)
    if (one !== undefined && 'message' in one) {
      const { message, isUnknown = false } = one
      if (isUnknown && given[otherColumns] === null) return []
      issues.push({ position, head, message, isUnknown })
    }
    return one !== undefined && 'column' in one ? [one.column] : []
  })
  const columns = withoutDoubles(mapped, issues, notes)
  return { columns: decideForms(columns, sample, dialect, { issues, notes }), issues, notes }
}

type Mapper = {
  readonly project: ReadingProject
  readonly entity: Entity
  readonly sheet: SheetPart
  readonly given: GivenColumns
  readonly names: HeadNames
  /** The heads as they stand in the file, where several may be the same. */
  readonly written: readonly string[]
  readonly issues: readonly HeadIssue[]
  readonly notes: SheetNote[]
}

// A suggestion compares a head with every name.
const mostHints = 20

const mapHead = (mapper: Mapper, head: string, position: number): Mapped => {
  const { project, sheet, given, names, written, issues } = mapper
  const { sample, dialect } = sheet
  if (head === '') return undefined
  const own = Object.hasOwn(given, head) ? given[head] : undefined
  if (own === null) return undefined
  if (own === undefined && isHeadless(head, position)) return headless(sample, position)
  const forms: Partial<GivenColumn> = typeof own === 'string' ? { field: own } : (own ?? {})
  const { field } = forms
  const found: FoundHead =
    field === undefined
      ? findHead(names, written, position, {
          format: dialect.format,
          hints: issues.length < mostHints,
        })
      : { path: field, timeZone: undefined, isGuess: isLinkName(names, field) }
  if ('message' in found) return found
  const { list, entity, path } = throughList(project.catalog, mapper.entity, found.path)
  const place = placeOf(project.catalog, entity, path, list)
  if ('message' in place) return place
  const meant = found.isGuess ? linkByText(mapper, place, position) : place
  const { use, link, column } = field === undefined ? onlyUploads(mapper, meant, position) : meant
  if (use === 'none') mapper.notes.push(unused(head, { reason: notUploads, ...place }))
  return {
    column: {
      position,
      head,
      use,
      path: found.path,
      list,
      column,
      link,
      format: dialect.format,
      timeZone: found.timeZone ?? project.timeZone,
      decimal: forms.decimal ?? dialect.decimal,
      dates: forms.dates ?? dialect.dates,
      words: wordsOf(project, entity, column, forms.values),
    },
  }
}

const headless = (sample: readonly SheetRow[], position: number): Mapped => {
  const row = sample.find(({ cells }) => (cells[position]?.text ?? '').trim() !== '')
  return (
    row && {
      message: `has no head above its values, such as that of row ${row.row}; heads that are merged name only their first column`,
      isUnknown: true,
    }
  )
}

type Place = {
  readonly use: ColumnUse
  readonly column: Column
  readonly link: LinkPath | undefined
  /** Of what is not written: why. */
  readonly reason?: string
}

/** What a path of the entity is in a file that is imported. */
const placeOf = (
  catalog: Catalog,
  entity: Entity,
  path: string,
  list: List | undefined,
): Place | { readonly message: string } => {
  const resolved = resolvePath(catalog, entity, path)
  if ('message' in resolved) return { message: resolved.message }
  const { steps, column: last } = resolved.path
  const column = steps[0] ?? last
  const isHistory = column.isSystem || column.writtenBy.length > 0
  if (list && (isHistory || column.series))
    return { use: 'none', column, link: undefined, reason: 'the service writes it' }
  if (column.name === list?.link.name)
    return { use: 'none', column, link: undefined, reason: 'it is the record of the row' }
  if (column.isCalculated)
    return { use: 'none', column, link: undefined, reason: 'the service calculates it' }
  if (isFileColumn(last) && steps.length > 0)
    return { use: 'none', column, link: undefined, reason: notUploads }
  if (column.name === 'id') return { use: 'id', column, link: undefined }
  const target = catalog.entities.get(column.target ?? '')
  if (!target) return { use: isHistory ? 'history' : 'value', column, link: undefined }
  const link = steps.length === 0 ? linkById(target) : linkBy(catalog, target, steps, last, path)
  if (!link)
    return {
      use: 'none',
      column,
      link: undefined,
      reason: `several records of ${target.key} may have it; they are identified by ${identifiers(target, path)}`,
    }
  return { use: isHistory ? 'history' : 'link', column, link }
}

const linkById = (target: Entity): LinkPath | undefined => {
  const column = target.columnsByName.get('id')
  return column && { path: 'id', target, steps: [], column }
}

/** A link by a path whose every step leads back to one record. */
const linkBy = (
  catalog: Catalog,
  target: Entity,
  steps: readonly Column[],
  last: Column,
  path: string,
): LinkPath | undefined => {
  const onTheWay = steps.slice(1)
  let entity = target
  for (const column of [...onTheWay, last]) {
    if (!uniqueColumns(entity).includes(column)) return undefined
    entity = catalog.entities.get(column.target ?? '') ?? entity
  }
  return {
    path: path.slice(path.indexOf('.') + 1),
    target,
    steps: onTheWay,
    column: last.target === undefined ? last : (entity.columnsByName.get('id') ?? last),
  }
}

/** Columns with a value that identifies a record. */
export const uniqueColumns = (entity: Entity): readonly Column[] =>
  ['id', ...uniqueIndexes(entity).flatMap(({ columns }) => (columns.length === 1 ? columns : []))]
    .map((name) => entity.columnsByName.get(name))
    .filter((column) => column !== undefined)

const identifiers = (target: Entity, path: string): string => {
  const [association] = path.split('.')
  return uniqueColumns(target)
    .map(({ name }) => `"${association}.${name}"`)
    .join(' or ')
}

const notUploads = 'files are uploaded, and written by the ids of uploads'

/** A column of files is written if it has ids of uploads, or is said to; exports have names, or what is said of files. */
const onlyUploads = ({ sheet }: Mapper, place: Place, position: number): Place =>
  !isFileColumn(place.column) ||
  sheet.sample.some(({ cells }) => namesUploads(cells[position]?.text ?? ''))
    ? place
    : { ...place, use: 'none' }

const unused = (head: string, { reason }: Pick<Place, 'reason'>): SheetNote => ({
  about: 'heads',
  message: `"${shorten(head)}" is not imported: ${reason}.`,
})

/** A head that names the link alone, above texts: they are those of a unique field. */
const linkByText = ({ sheet, notes }: Mapper, place: Place, position: number): Place => {
  const { link } = place
  const isText = sheet.sample.some(({ cells }) => /[^\d\s]/.test(cells[position]?.text ?? ''))
  if (!link || !isText) return place
  const texts = uniqueColumns(link.target).filter(({ type }) => type.isFreeText)
  const column = texts.find((one) => one === nameColumn(link.target)) ?? texts[0]
  if (!column) return place
  notes.push({
    about: 'heads',
    message: `"${shorten(sheet.heads[position] ?? '')}" is read as the ${column.name} of ${link.target.key}.`,
  })
  return { ...place, link: { ...link, path: column.name, column } }
}

/** By what may be written for a value, in lower case: itself, its names in all languages, and what was given. */
const wordsOf = (
  { catalog, languages }: ReadingProject,
  { key }: Entity,
  column: Column,
  given: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> | undefined => {
  const own = Object.entries(given).map(([text, value]) => [text.toLowerCase(), value] as const)
  if (column.type.cell === 'boolean') return new Map([...booleanWords, ...own])
  if (!hasValueNames(column)) return own.length === 0 ? undefined : new Map(own)
  const words = new Map<string, string>()
  const ambiguous = new Set<string>()
  const entities = [catalog, ...languages].flatMap((one) => one.entities.get(key) ?? [])
  for (const entity of entities) {
    const translated = entity.columnsByName.get(column.name)
    for (const [value, name] of translated ? valueNamesOf(entity, translated) : []) {
      const word = name.toLowerCase()
      if ((words.get(word) ?? value) !== value) ambiguous.add(word)
      words.set(word, value)
    }
  }
  for (const word of ambiguous) words.delete(word)
  const choices = column.type.choices ?? []
  // A value wins over the name of another one, as it is written over one in other case.
  for (const value of choices) words.set(value.toLowerCase(), value)
  for (const value of choices) words.set(value, value)
  return new Map([...words, ...own])
}

/** Of several columns for one link, that by a field is written; two columns for one value are an issue. */
const withoutDoubles = (
  columns: readonly MappedColumn[],
  issues: HeadIssue[],
  notes: SheetNote[],
): MappedColumn[] => {
  const written = columns.filter(({ use }) => use !== 'none')
  return columns.map((one) => {
    const same = written.filter(
      ({ column, list }) =>
        column.name === one.column.name && list?.field.key === one.list?.field.key,
    )
    if (one.use === 'none' || same.length < 2) return one
    const [first] = [...same].sort((a, b) => rankOf(a) - rankOf(b) || a.position - b.position)
    if (one === first || !first) return one
    if (one.link?.path === first.link?.path)
      issues.push({
        position: one.position,
        head: one.head,
        message: `is "${one.list ? one.path : one.column.name}", which "${shorten(first.head)}" is already`,
      })
    else
      notes.push(
        unused(one.head, { ...one, reason: `"${shorten(first.head)}" identifies the record` }),
      )
    return { ...one, use: 'none', link: undefined }
  })
}

const rankOf = ({ link }: MappedColumn): number => (link?.path === 'id' ? 1 : 0)

// What people and spreadsheets write for true and false, in the languages of the console.

const yes = 'true yes y on 1 wahr ja j istina da točno tocno vrai oui o'.split(' ')
const no = 'false no n off 0 falsch nein ne laž laz ne netočno netocno faux non'.split(' ')

const booleanWords: ReadonlyMap<string, string> = new Map([
  ...yes.map((word) => [word, 'true'] as const),
  ...no.map((word) => [word, 'false'] as const),
])
