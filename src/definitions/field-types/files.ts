/**
 * The field types file and files. A column has what is said of its files, so that records, history and exports need no other table;
 * the bytes belong to rows of docket.file. What is written are ids: of uploads, or of files that the record has or had in the field.
 */
import { Type } from '../schemas/schema-builder.ts'
import { type CheckResult, isObject, kindOf, malformed, refused } from '../values/check-value.ts'
import { defaultMaxFiles } from '../values/media-types.ts'
import { fieldType, type ReadText } from './field-type.ts'
import { fieldOf, personal, valued } from './schema-parts.ts'

/** A file as records show it. */
export type ShownFile = {
  readonly id: number
  readonly filename: string
  readonly mimetype: string
  readonly bytes: number
  /** Of a picture, in pixels. */
  readonly width: number | null
  readonly height: number | null
}

/** The id of an upload, or of a file of the record. */
export type AskedFile = string | number

/** What a write asks of the files that a field has: all of them, or what is different, so that those whom others add meanwhile stay. */
export type AskedFiles = readonly AskedFile[] | AskedDifference

export type AskedDifference = {
  readonly add: readonly AskedFile[]
  readonly remove: readonly number[]
  readonly order: readonly number[]
}

const mostFiles = 500

// A name has at most 255 bytes, which JSON may escape, and a media type 100.
const bytesOfFile = 700

const uploadPattern = '^up_[A-Za-z0-9_-]{32}$'
const upload = new RegExp(uploadPattern)
const isId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 2_147_483_647

const shownNames = ['id', 'filename', 'mimetype', 'bytes', 'width', 'height'] as const

const wanted =
  'the id of an upload, such as "up_9fT2kQ7xV1…", or of a file that the record has or had in this field'

/** What is read may be written again. */
const askedFile = (value: unknown): AskedFile | undefined => {
  if (typeof value === 'string') return upload.test(value) ? value : undefined
  if (isId(value)) return value
  const isShown =
    isObject(value) && Object.keys(value).every((name) => shownNames.some((one) => one === name))
  return isShown && isId(value.id) ? value.id : undefined
}

const kept = (value: unknown): CheckResult => ({ value: JSON.stringify(value) })

const checkFile = (value: unknown): CheckResult => {
  const one = askedFile(value)
  return one === undefined ? malformed(`must be ${wanted}`) : kept([one])
}

const tooMany = (count: number, most: number): string =>
  `has ${count} files; at most ${most} are allowed`

type ReadList<T> = { readonly items: readonly T[] } | { readonly issue: string }

const readList = <T extends AskedFile>(
  list: unknown,
  most: number,
  read: (value: unknown) => T | undefined,
  what: string,
): ReadList<T> => {
  if (!Array.isArray(list)) return { issue: `must be an array, not ${kindOf(list)}` }
  if (list.length > most) return { issue: tooMany(list.length, most) }
  const items: T[] = []
  for (const [at, value] of list.entries()) {
    const item = read(value)
    if (item === undefined) return { issue: `must have ${what} at [${at}]` }
    if (items.includes(item)) return { issue: `names ${JSON.stringify(item)} twice` }
    items.push(item)
  }
  return { items }
}

const askedId = (value: unknown): number | undefined => {
  const one = askedFile(value)
  return typeof one === 'number' ? one : undefined
}

const parts = ['add', 'remove', 'order'] as const

const checkDifference = (
  value: Readonly<Record<string, unknown>>,
  maxFiles: number,
): CheckResult => {
  const unknown = Object.keys(value).find((name) => !parts.some((part) => part === name))
  if (unknown !== undefined)
    return malformed(`has the property ${JSON.stringify(unknown)}; it may have ${parts.join(', ')}`)
  const read = parts.map((part) =>
    part === 'add'
      ? readList(value[part] ?? [], maxFiles, askedFile, wanted)
      : // A field may have more files than it may take by now.
        readList(value[part] ?? [], mostFiles, askedId, 'the id of a file'),
  )
  for (const [at, list] of read.entries())
    if ('issue' in list) return malformed(`${parts[at]} ${list.issue}`)
  const lists = read.map((list): readonly AskedFile[] => ('items' in list ? list.items : []))
  return lists.every((items) => items.length === 0)
    ? malformed('says neither what to add, nor what to remove, nor an order')
    : kept(Object.fromEntries(lists.map((items, at) => [parts[at], items])))
}

const checkFiles = (value: unknown, maxFiles: number): CheckResult => {
  if (isObject(value)) return checkDifference(value, maxFiles)
  if (!Array.isArray(value))
    return malformed(
      `must be an array of files, or { "add": […], "remove": […], "order": […] }, not ${kindOf(value)}`,
    )
  // Without files it is empty, as a field is that has no value.
  if (value.length === 0) return { value: null }
  if (value.length > maxFiles) return refused(tooMany(value.length, maxFiles))
  const list = readList(value, maxFiles, askedFile, wanted)
  return 'issue' in list ? malformed(list.issue) : kept(list.items)
}

const limits = {
  ...valued,
  personal,
  accept: Type.Optional(
    Type.Array(
      Type.String({ pattern: '^[a-z]+/(\\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$', maxLength: 100 }),
      {
        minItems: 1,
        uniqueItems: true,
        description:
          'Media types of its files, such as "application/pdf" or "image/*"; by default any.',
      },
    ),
  ),
  stripLocation: Type.Optional(
    Type.Boolean({
      description: 'true: where a picture was taken is removed from it when a record takes it.',
    }),
  ),
  maxBytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000_000,
      description: 'Bytes of a file; by default what FILES_MAX_BYTES allows.',
    }),
  ),
}

const notRead: ReadText = {
  message:
    'is a field of files, which are not imported: upload them, and write the ids of the uploads',
}

/** SQL of the names, one after the other. */
const names = (column: string): string => `(
  SELECT string_agg(f.one->>'filename', '; ' ORDER BY f.place)
  FROM jsonb_array_elements(${column}) WITH ORDINALITY AS f(one, place)
)`

const facts = {
  cast: 'jsonb',
  comparison: 'none',
  isStructured: true,
  isFreeText: true,
  hasOrder: false,
  cell: 'json',
  csvText: names,
  fromCsv: () => notRead,
} as const

const example: ShownFile = {
  id: 12,
  filename: 'Bremse vorne.jpg',
  mimetype: 'image/jpeg',
  bytes: 248_113,
  width: 1600,
  height: 1200,
}

const pixels = {
  type: ['integer', 'null'],
  minimum: 1,
  description: 'Of a picture, in pixels.',
} as const

/** What is said of a file, for clients. */
export const shownSchema = {
  type: 'object',
  properties: {
    id: {
      type: 'integer',
      minimum: 1,
      description: 'GET /<entity>/<id>/file/<this id> has the bytes.',
    },
    filename: { type: 'string' },
    mimetype: { type: 'string', description: 'By its content.' },
    bytes: { type: 'integer', minimum: 0 },
    width: pixels,
    height: pixels,
  },
  required: shownNames,
} as const

const askedSchema = {
  oneOf: [
    { type: 'string', pattern: uploadPattern, description: 'The id of an upload.' },
    {
      type: 'integer',
      minimum: 1,
      description: 'The id of a file that the record has or had in this field.',
    },
  ],
}

const listOf = (items: object, maxItems = mostFiles) => ({ type: 'array', items, maxItems })
const idSchema = { type: 'integer', minimum: 1 }

type Limits = {
  readonly accept?: readonly string[] | undefined
  readonly maxBytes?: number | undefined
  readonly stripLocation?: boolean | undefined
}

const limitNotes = ({ accept, maxBytes, stripLocation }: Limits): readonly string[] => [
  ...(stripLocation ? ['Where pictures were taken is removed from them.'] : []),
  ...(accept === undefined ? [] : [`Takes ${accept.join(', ')}.`]),
  ...(maxBytes === undefined ? [] : [`At most ${maxBytes} bytes each.`]),
]

const exampleUpload = 'up_9fT2kQ7xV1bN4mZcR8dW3sY6aL0eHuJg'

/** One file, or none. Its column is a list too, so that a field may become one of several. */
export const file = fieldType(
  fieldOf('file', 'A file.', limits),
  {
    ...facts,
    jsonText: (column) => `(${column}->0)::text`,
    toJson: (value) => JSON.parse(String(value))[0],
  },
  (field) => ({
    sqlType: () => 'jsonb',
    width: 30,
    check: checkFile,
    checkSearched: checkFile,
    jsonSchema: shownSchema,
    writtenSchema: askedSchema,
    notes: limitNotes(field),
    examples: () => [exampleUpload],
    answeredExample: example,
    maxBytes: bytesOfFile,
    mayExceed: (units) => units < 255,
  }),
)

/** Files in an order. */
export const files = fieldType(
  fieldOf('files', 'Files in an order.', {
    ...limits,
    maxFiles: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: mostFiles,
        description: `How many; ${defaultMaxFiles} by default.`,
      }),
    ),
  }),
  {
    ...facts,
    jsonText: (column) => `coalesce(${column}::text,'[]')`,
    sizeSql: (column) => `octet_length(${column}::text)`,
    toJson: (value) => JSON.parse(String(value)),
  },
  (field) => {
    const { maxFiles = defaultMaxFiles } = field
    return {
      sqlType: () => 'jsonb',
      width: 40,
      check: (value) => checkFiles(value, maxFiles),
      checkSearched: (value) => checkFiles(value, maxFiles),
      jsonSchema: listOf(shownSchema),
      writtenSchema: {
        oneOf: [
          { ...listOf(askedSchema, maxFiles), description: 'All of its files.' },
          {
            type: 'object',
            description: 'What is different: those whom others add meanwhile stay.',
            properties: {
              add: { ...listOf(askedSchema, maxFiles), description: 'At the end.' },
              remove: listOf(idSchema),
              order: { ...listOf(idSchema), description: 'Which come first; the others follow.' },
            },
            additionalProperties: false,
          },
        ],
      },
      notes: [...limitNotes(field), `At most ${maxFiles} files.`],
      examples: () => [[exampleUpload]],
      answeredExample: [example],
      maxBytes: bytesOfFile * maxFiles,
      mayExceed: (units) => maxFiles * 257 > units,
    }
  },
)
