/** How a run is described to those who see it. */
import { importModes } from '../definitions/schemas/import-definition.ts'
import { component, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { faultRules } from './row-fault.ts'
import { runStates } from './run-store.ts'

const count = { type: 'integer', minimum: 0 } as const
const textOrNull = { type: ['string', 'null'] } as const
const time = { type: 'string', format: 'date-time' } as const

export const run = component(
  'ImportRun',
  objectOf({
    id: { type: 'integer' },
    entity: { type: 'string' },
    user_id: { type: 'integer' },
    file_name: textOrNull,
    state: {
      type: 'string',
      enum: runStates,
      description:
        '`ready`: checked, and waits for its start. `stopped`: a start goes on where it was.',
    },
    mode: { type: 'string', enum: importModes },
    match: { type: 'array', items: { type: 'string' } },
    all_or_nothing: { type: 'boolean' },
    rows: { ...count, description: 'Rows of the file that are read.' },
    faulty: { ...count, description: 'Rows with a fault.' },
    created: {
      ...count,
      description: 'Of a run that is ready: what it would create; as `changed` and `unchanged`.',
    },
    changed: count,
    unchanged: count,
    done_rows: {
      ...count,
      description:
        'Rows of the batches that are committed; while it is checked, those that its last step has tried to write.',
    },
    check_step: { ...count, description: 'While it is checked: the step, from 1; otherwise 0.' },
    check_steps: { ...count, description: 'How many steps the check has.' },
    error: { ...textOrNull, description: 'Why it has stopped or failed.' },
    notes: {
      type: 'array',
      items: { type: 'string' },
      description: 'What the file was taken for.',
    },
    columns: {
      type: 'array',
      description: 'The columns of the file that are imported.',
      items: {
        type: 'object',
        properties: {
          head: { type: 'string' },
          name: { type: 'string' },
          link: { type: 'string' },
          decimal: { type: 'string', enum: ['.', ','], description: 'In its numbers.' },
          dates: { type: 'string', enum: ['YMD', 'DMY', 'MDY'], description: 'Of its days.' },
        },
        required: ['head', 'name'],
      },
    },
    created_at: time,
    updated_at: time,
  }),
)

export type ImportRunAnswer = ValueOf<typeof run>

/** What an answer says of a fault; of it `column` and `message` are always there. */
export const faultParts = {
  column: { ...textOrNull, description: 'Its head; null: the whole row.' },
  message: { type: 'string' },
  rule: {
    type: 'string',
    enum: faultRules,
    description:
      '`malformed`: the cell is no value of its field. `refused`: it breaks a rule of the field. `link`: it leads to no record that the caller may read. `unmatched`: no such record is to be changed. `unique`: another record has it. `repeated`: an earlier row has it.',
  },
  value: { type: 'string', description: 'Of `refused`, unless it is a text: as what it was read.' },
  columns: {
    type: 'array',
    items: { type: 'string' },
    description: 'Of `unique` and `repeated`: heads of columns that are unique together.',
  },
  other_row: { ...count, description: 'Of `repeated`: the row that has the same.' },
} as const
