/** English texts of importing files. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')
const { format } = new Intl.NumberFormat('en')

export const importing = {
  title: (entity: string) => `Import: ${entity}`,
  toList: (entity: string) => `To the list: ${entity}`,
  file: {
    title: '1. File',
    drop: 'Drop a file here: CSV, an Excel workbook (xlsx) or JSON.',
    choose: 'Choose a file',
    other: 'Choose another file',
    format: 'Format',
    formats: { csv: 'CSV', xlsx: 'Excel (xlsx)', ndjson: 'NDJSON', json: 'JSON' },
    encoding: 'Encoding',
    separator: 'Between cells',
    separators: { comma: 'Comma', semicolon: 'Semicolon', tab: 'Tab', bar: 'Bar |' },
    sheet: 'Sheet',
    empty: 'The file is empty.',
    correct: 'Correct above what it was taken for, or choose another file.',
    notes: 'What was found in the file',
  },
  columns: {
    title: '2. Columns',
    head: 'Column of the file',
    samples: 'Examples',
    field: 'Goes to',
    fieldOf: (head: string) => `${head} goes to`,
    choose: 'Choose …',
    leaveOut: 'Leave out',
    leaveOutAll: (columns: number) =>
      plural(columns, {
        one: 'Leave out # column without a field',
        other: 'Leave out the # columns without a field',
      }),
    unknown: 'No field is known for it. Choose one, or leave the column out.',
    noRows: 'The file has no rows below its heads.',
    open: (columns: number) =>
      plural(columns, {
        one: '# column is marked: do what is said there, or leave it out.',
        other: '# columns are marked: do what is said there, or leave them out.',
      }),
    decimal: (head: string) => `Numbers of ${head}`,
    decimals: { point: '1,234.50', comma: '1.234,50' },
    dates: (head: string) => `Days of ${head}`,
    dayOrders: { DMY: 'day, month, year', MDY: 'month, day, year', YMD: 'year, month, day' },
    found: 'as found',
    missing: (labels: string) => `No column goes to a required field: ${labels}.`,
  },
  mode: {
    title: 'What the rows do',
    modes: {
      insert: 'Create new records only',
      update: 'Change existing records only',
      insertOrUpdate: 'Change existing records, create the others',
    },
    match: 'Records are found by',
    emptyCells: 'An empty cell',
    emptyRules: {
      keep: 'leaves the field as it is',
      clear: 'empties the field',
      default: 'gives the field its default',
    },
  },
  preview: {
    title: 'The first rows as they will be',
    row: 'Row',
  },
  saved: {
    title: 'Saved import',
    none: 'None',
    save: 'Save this for the next file',
    name: 'Name',
    remove: (name: string) => `Remove “${name}”`,
    done: 'Saved. It is offered for files with these heads.',
  },
  check: {
    sending: 'The file is sent …',
    start: 'Check all rows',
    nothing: 'Nothing is written yet.',
    title: '3. Check',
    change: 'Change the file or its columns',
    reading: (rows: number) =>
      plural(rows, { one: 'Reading the file: # row', other: 'Reading the file: # rows' }),
    checking: (step: number, steps: number) => `Checking the rows: step ${step} of ${steps}`,
    trying: (done: number, all: number) =>
      `Checking the rows by trying to write them: ${format(done)} of ${format(all)}`,
    counts: 'What the import will do',
    rows: 'rows',
    created: 'new',
    changed: 'changed',
    unchanged: 'unchanged',
    faulty: 'with a fault',
    failed: 'The import has failed.',
    noFaults: 'No row has a fault.',
  },
  faults: {
    title: (rows: number) =>
      plural(rows, { one: '# row has a fault', other: '# rows have faults' }),
    help: 'Correct the marked cells here and check again, or import the other rows and leave these out.',
    helpLeft: 'Correct the marked cells here and check them; then these rows can be imported, too.',
    table: 'Rows with faults',
    row: 'Row',
    whole: 'Whole row',
    cell: (column: string, row: number) => `${column}, row ${row}`,
    alike: (rows: number) =>
      plural(rows, { one: 'in # row like this', other: 'in all # rows like this' }),
    again: (cells: number) =>
      plural(cells, {
        one: 'Check again with # correction',
        other: 'Check again with # corrections',
      }),
    none: 'Check again',
    shown: (shown: number, all: number) =>
      `The first ${format(shown)} of ${format(all)} rows are shown.`,
    more: 'Show more',
    download: 'Save the rows with faults (CSV)',
    noRecord: 'There is no such record, or you may not see it.',
    repeated: (row: number, heads: string) => `Row ${row} already has the same: ${heads}.`,
    leadsToFault: (row: number) => `It leads to row ${row}, which has a fault.`,
    leadsBack: 'It leads to rows that lead back to this one.',
    sameRecord: (row: number) => `It belongs to the same record as row ${row}, which has a fault.`,
    choices: (list: string) => `Enter ${list}.`,
    decimals: (count: number) =>
      plural(count, { one: 'Enter at most # decimal.', other: 'Enter at most # decimals.' }),
  },
  run: {
    title: '4. Import',
    start: (rows: number) => plural(rows, { one: 'Import # row', other: 'Import # rows' }),
    startOthers: (rows: number) =>
      plural(rows, {
        one: 'Import # row without a fault',
        other: 'Import # rows without a fault',
      }),
    writing: (done: number, all: number) => `${format(done)} of ${format(all)} rows are imported.`,
    stop: 'Stop',
    goOn: 'Go on',
    stopped: 'The import is stopped. What is imported stays; the rest waits.',
    done: 'The import is done.',
    left: (rows: number) =>
      plural(rows, {
        one: '# row with a fault was not imported.',
        other: '# rows with faults were not imported.',
      }),
    records: 'Show these records',
    another: 'Import another file',
  },
  undo: {
    ask: 'Undo this import …',
    removes: (records: number) =>
      plural(records, {
        one: '# record that it created is removed.',
        other: '# records that it created are removed.',
      }),
    takesBack: (records: number) =>
      plural(records, {
        one: '# record that it changed gets back what it had.',
        other: '# records that it changed get back what they had.',
      }),
    keeps: (records: number) =>
      plural(records, {
        one: '# record stays, because it was changed since:',
        other: '# records stay, because they were changed since:',
      }),
    start: (records: number) => plural(records, { one: 'Undo # record', other: 'Undo # records' }),
    going: (records: number) =>
      plural(records, {
        one: 'Undoing: # record is left.',
        other: 'Undoing: # records are left.',
      }),
    done: 'The import is undone.',
  },
  list: {
    title: 'Your imports',
    file: 'File',
    unnamed: 'Without a name',
    state: 'State',
    rows: 'Rows',
    at: 'When',
    open: (file: string) => `Open the import of ${file}`,
    states: {
      reading: 'is read',
      checking: 'is checked',
      ready: 'checked, not imported',
      writing: 'is imported',
      stopped: 'stopped',
      done: 'imported',
      failed: 'failed',
      undoing: 'is undone',
      undone: 'undone',
    },
  },
}
