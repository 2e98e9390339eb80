/**
 * What is wrong with a row of a file, in the words of the user: by the rule of the fault and the definition of the field. Examples are
 * written as the column of the file is, for what is corrected is read like its cells.
 */
import type { ImportFaultyRows, ImportRun } from '../../api/records/imports.ts'
import type { Entity, Field } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { kindOf } from '../format/field-kinds.ts'
import { nameOfChoice, type Reading } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import { isBlank } from '../values/entered.ts'
import { explanations, type Words } from '../values/value-issue.tsx'
import { type ImportTexts, useImportTexts } from './import-texts.ts'
import { fieldOf, pathLabel, pathOf } from './import-words.ts'

export type Fault = ImportFaultyRows['data'][number]['faults'][number]

type Texts = ImportTexts['faults']

type Place = {
  readonly fault: Fault
  /** What the cell has. */
  readonly text: string
  readonly field: Field | undefined
  readonly words: Words
  readonly texts: Texts
  readonly reading: Reading
}

/** Undefined where the service explains it. */
type Say = (place: Place) => string | undefined

/** No type takes it: the check of one says what it takes. */
const unreadable = '?'

const malformed: Say = ({ field, words }) => {
  const kind = field && kindOf(field).faultOf?.(unreadable, field)
  const said = kind && words[kind]
  // The words of the column have their example.
  return typeof said === 'function' ? said('') : said
}

const refused: Say = ({ fault: { value }, text, field, words, reading }) => {
  if (isBlank(text)) return words.missing
  return field && explanations[kindOf(field).input]?.(value ?? text, { field, words, reading })
}

const listOf = ({ fault: { column, columns = [column ?? ''] }, reading }: Place): string =>
  new Intl.ListFormat(reading.locale).format(columns)

const sayings: Readonly<Record<NonNullable<Fault['rule']>, Say>> = {
  malformed,
  refused,
  required: ({ words }) => words.missing,
  link: ({ texts }) => texts.noRecord,
  unmatched: ({ texts }) => texts.noRecord,
  unique: (place) =>
    place.fault.columns ? place.words.takenTogether(listOf(place)) : place.words.taken,
  repeated: (place) => place.texts.repeated(place.fault.other_row ?? 0, listOf(place)),
  leadsToFault: ({ fault, texts }) => texts.leadsToFault(fault.other_row ?? 0),
  leadsBack: ({ texts }) => texts.leadsBack,
  sameRecord: ({ fault, texts }) => texts.sameRecord(fault.other_row ?? 0),
}

const days = { YMD: '2026-01-31', DMY: '31.01.2026', MDY: '01/31/2026' }

const mostChoices = 20

/** The words of forms, for what a cell of a column may have. */
const wordsOf = (
  all: Words,
  texts: Texts,
  { decimal, dates = 'YMD' }: Partial<ImportRun['columns'][number]>,
  choices: string,
): Words => {
  const number = all.number(decimal === undefined ? '1250' : `1250${decimal}5`)
  const whole = all.whole('1250')
  return {
    ...all,
    number: () => number,
    whole: () => whole,
    day: () => all.day(days[dates]),
    moment: () => all.moment(`${days[dates]} 14:30`),
    choice: texts.choices(choices),
    tooMany: (_text, _count, most) => (most === 0 ? whole : texts.decimals(most)),
  }
}

/** The names of the values of a field. */
const choicesOf = (field: Field | undefined, { locale, words }: Reading): string => {
  const { values = [words.yes, words.no] } = field ?? {}
  const names = values
    .slice(0, mostChoices)
    .map((value) => (field ? nameOfChoice(value, field) : value))
  const all = values.length > mostChoices ? [...names, '…'] : names
  return new Intl.ListFormat(locale, { type: 'disjunction' }).format(all)
}

/** What is said of a fault, by what its cell has. */
export const useFaultWords = (
  entity: Entity,
  { columns }: ImportRun,
): ((fault: Fault, text: string) => string) => {
  const { faults: texts, columns: heads } = useImportTexts()
  const { values, issues } = useWorkTexts()
  const { entities } = useSession()
  const place = { entity, entities }
  const reading = useReading()
  return (fault, text) => {
    const column = columns.find(({ head }) => head === fault.column)
    // A field that every record must have, and the file has not.
    if (!column && fault.column !== null) return heads.missing(pathLabel(fault.column, place))
    const field = column && fieldOf(pathOf(column, place), place)
    const words = wordsOf({ ...values, ...issues }, texts, column ?? {}, choicesOf(field, reading))
    const said = fault.rule && sayings[fault.rule]({ fault, text, field, words, texts, reading })
    return said ?? fault.message
  }
}
