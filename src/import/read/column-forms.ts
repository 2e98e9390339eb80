/** How the numbers and days of each column are written: found from the first rows, or refused where nothing decides. */
import type { Column } from '../../definitions/catalog.ts'
import { dayParts, possibleOrders } from './read-day.ts'
import { evidenceOf, numberParts, plainDigits, unitsOf } from './read-number.ts'
import type {
  DayOrder,
  DecimalMark,
  Dialect,
  HeadIssue,
  SheetFormat,
  SheetNote,
  SheetRow,
} from './sheet.ts'

/** What is asked of a column that is mapped. */
type FormColumn = {
  readonly position: number
  readonly head: string
  readonly use: string
  readonly column: Column
  readonly link: { readonly column: Column } | undefined
  readonly format: SheetFormat
  readonly decimal: DecimalMark | undefined
  readonly dates: DayOrder | undefined
}

/** What the first rows of a column say about a form that it has. */
type Found<Form> = {
  /** The forms that some value has alone, with the first such value. */
  readonly certain: ReadonlyMap<Form, Example>
  /** A value that has several forms. */
  readonly unsure: Example | undefined
}
type Example = { readonly text: string; readonly row: number }

type Kind<Form extends string> = {
  readonly property: 'decimal' | 'dates'
  readonly isOf: (column: FormColumn) => boolean
  /** The forms that the text of a cell may have; none: it has no say. */
  readonly formsOf: (text: string, column: FormColumn) => readonly Form[]
  /** What decides where no value does: what the file is like. */
  readonly usual: (example: string, dialect: Dialect) => Form | undefined
  readonly unsure: (example: string) => string
  readonly said: (form: Form) => string
}

/** The column that holds the value of a cell; of a link that of the other record. */
export const valueColumn = ({ link, column }: Pick<FormColumn, 'link' | 'column'>): Column =>
  link?.column ?? column

const comparedKind = (column: FormColumn) => valueColumn(column).type.comparedKind

/** Digits after the point that a value of the field may have. */
const scaleOf = (column: FormColumn): number => {
  const { type } = valueColumn(column)
  if (type.cell !== 'decimal') return 0
  const { precision, scale } = type.digits
  return precision === undefined ? Number.POSITIVE_INFINITY : (scale ?? 0)
}

const marksOf = (text: string, column: FormColumn): readonly DecimalMark[] => {
  const body = numberParts(text, unitsOf(valueColumn(column)))?.body
  const evidence = body === undefined ? 'wrong' : evidenceOf(body)
  if (evidence === '.' || evidence === ',') return [evidence]
  if (evidence !== 'either' || body === undefined) return []
  // 1,234 of a field with two digits after the point is no 1.234.
  const fits = (['.', ','] as const).filter((mark) => {
    const fraction = plainDigits(body, mark)?.split('.')[1] ?? ''
    return fraction.replace(/0+$/, '').length <= scaleOf(column)
  })
  return fits.length === 1 ? fits : ['.', ',']
}

// Where programs write a decimal comma, they separate cells by semicolons; so does an export of Docket.
const usualMarks: Readonly<Record<string, DecimalMark>> = { ';': ',', ',': '.' }

const numbers: Kind<DecimalMark> = {
  property: 'decimal',
  isOf: (column) => comparedKind(column) === 'number',
  formsOf: marksOf,
  usual: (example, { separator }) => {
    const mark = usualMarks[separator ?? '']
    return mark !== undefined && example.includes(mark) ? mark : undefined
  },
  unsure: (example) =>
    `has ${example}, in which the mark may be before decimals or between thousands; give the decimal mark of the file, a point or a comma`,
  said: (mark) => (mark === ',' ? 'a decimal comma' : 'a decimal point'),
}

const days: Kind<DayOrder> = {
  property: 'dates',
  isOf: (column) => ['date', 'timestamp'].includes(comparedKind(column) ?? ''),
  formsOf: (text) => {
    const written = dayParts(text)
    const orders = written ? possibleOrders(written) : []
    // A day that begins with its year says nothing about the others.
    return orders.includes('YMD') ? [] : orders
  },
  usual: () => undefined,
  unsure: (example) =>
    `has ${example}, in which the day or the month may be first; give the order of days of the file, DMY or MDY`,
  said: (order) => (order === 'MDY' ? 'the month before the day' : 'the day before the month'),
}

/** Decides both for every column; issues and notes are added to those of the mapping. */
export const decideForms = <C extends FormColumn>(
  columns: readonly C[],
  sample: readonly SheetRow[],
  dialect: Dialect,
  outcome: Outcome,
): readonly C[] => {
  const withMarks = decide(numbers, columns, sample, dialect, outcome)
  return decide(days, withMarks, sample, dialect, outcome)
}

type Outcome = { readonly issues: HeadIssue[]; readonly notes: SheetNote[] }

const decide = <Form extends string, C extends FormColumn>(
  kind: Kind<Form>,
  columns: readonly C[],
  sample: readonly SheetRow[],
  dialect: Dialect,
  { issues, notes }: Outcome,
): C[] => {
  // What JSON has is exact, and columns that are not written need not be understood.
  const isOpen = (one: C) =>
    one.use !== 'none' &&
    kind.isOf(one) &&
    one[kind.property] === undefined &&
    (one.format === 'csv' || one.format === 'xlsx')
  const found = new Map(columns.filter(isOpen).map((one) => [one, look(kind, one, sample)]))
  const certain = new Set([...found.values()].flatMap((one) => [...one.certain.keys()]))
  const [only] = certain
  const ofFile = certain.size === 1 ? only : undefined
  return columns.map((column) => {
    const own = found.get(column)
    if (!own) return column
    const { position, head } = column
    const [first, second] = own.certain
    if (first && second) {
      issues.push({ position, head, message: contradiction(kind, first, second) })
      return column
    }
    if (first) return { ...column, [kind.property]: first[0] }
    if (!own.unsure) return { ...column, [kind.property]: ofFile }
    const example = `${JSON.stringify(own.unsure.text)} (row ${own.unsure.row})`
    const form = ofFile ?? kind.usual(own.unsure.text, dialect)
    if (form === undefined) issues.push({ position, head, message: kind.unsure(example) })
    else
      notes.push({
        about: kind.property,
        message: `"${head}" is read with ${kind.said(form)}, ${ofFile === undefined ? 'as files with this separator are written' : 'as other columns of the file'}, such as ${example}.`,
      })
    return { ...column, [kind.property]: form }
  })
}

const contradiction = <Form extends string>(
  { said }: Kind<Form>,
  [one, first]: readonly [Form, Example],
  [other, second]: readonly [Form, Example],
): string =>
  `has values with ${said(one)}, such as ${JSON.stringify(first.text)} (row ${first.row}), and with ${said(other)}, such as ${JSON.stringify(second.text)} (row ${second.row}); write all of them alike`

const look = <Form extends string>(
  { formsOf }: Kind<Form>,
  column: FormColumn,
  sample: readonly SheetRow[],
): Found<Form> => {
  const certain = new Map<Form, Example>()
  let unsure: Example | undefined
  for (const { row, cells } of sample) {
    const cell = cells[column.position]
    if (cell?.kind !== 'text') continue
    const text = cell.text.trim().slice(0, 100)
    const forms = formsOf(text, column)
    const [form] = forms
    if (forms.length > 1) unsure ??= { text, row }
    else if (form !== undefined && !certain.has(form)) certain.set(form, { text, row })
  }
  return { certain, unsure }
}
