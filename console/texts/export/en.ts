/** English texts of the export of a list. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')

export const en = {
  title: (entity: string) => `Export: ${entity}`,
  search: (words: string) => `Search: ${words}`,
  filter: (words: string) => `Filter: ${words}`,
  noFilter: 'Without a filter: all records.',
  ownOnly: 'Your role exports only your own records.',
  rows: 'Records',
  rowsSelected: (count: number) => plural(count, { one: 'Selected (#)', other: 'Selected (#)' }),
  rowsAll: (count: number) =>
    plural(count, { one: 'All that match (#)', other: 'All that match (#)' }),
  format: 'Format',
  formats: {
    csv: 'CSV',
    xlsx: 'Excel (xlsx)',
    ndjson: 'NDJSON',
    json: 'JSON',
    parquet: 'Parquet',
  },
  forExcel: 'For Excel (opens with a double click)',
  names: 'Names in place of keys: choices, steps, heads',
  columnsChosen: (count: number) => `Columns (${count})`,
  columnsOfList: (count: number) => `As in the list (${count})`,
  columnsOfDefinition: (count: number) => `As defined for exports (${count})`,
  order: 'Columns in their order',
  orderHint: 'Drag, or Alt with an arrow key, moves a column; Delete takes it out.',
  up: 'Up',
  down: 'Down',
  remove: 'Take out',
  addColumn: 'Add a column',
  moved: (column: string, place: number, count: number) =>
    `${column} is column ${place} of ${count}.`,
  removed: (column: string) => `${column} is taken out.`,
  omitted: (count: number) =>
    plural(count, {
      one: '# column is left out, because your role may not read it.',
      other: '# columns are left out, because your role may not read them.',
    }),
  preview: 'The first rows, as in the file',
  tooLong: 'The rows are too long to be shown here.',
  parquet: 'Parquet has typed columns of these values, which are shown as JSON here.',
  commands: 'On the command line',
  token: 'Both commands need an API key or a token in the variable TOKEN.',
  copy: (name: string) => `Copy the command for ${name}`,
  copyShort: 'Copy',
  copied: 'Copied',
  start: 'Start the export',
  stop: 'Stop the export',
  progress: 'Progress of the export',
  rowsPerSecond: (rows: number) => plural(rows, { one: '# row/s', other: '# rows/s' }),
  tooLarge: (limit: string) =>
    `The file is larger than ${limit}, which this browser cannot save. Use one of the commands below.`,
  whole: (records: string, size: string) => `Complete and checked: ${records}, ${size}.`,
  stored: 'The file is saved.',
  save: (name: string) => `Save ${name} again`,
  failures: {
    refused: 'The export did not start.',
    cut: 'The export ended early and was discarded. There is no file.',
    unchecked: 'It cannot be checked whether the file is complete, so it was discarded.',
    unwritable: 'The file cannot be written.',
    cancelled: 'The export was stopped. There is no file.',
  },
}
