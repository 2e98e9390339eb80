/**
 * What a write asks of the files of a record: uploads become files of it in the transaction of the write, and the column gets what is
 * said of each. A file stays one of its record, also when a field has it no more: the history names it, and it may be put back.
 */
import { type TakenUpload, takeUploads, unknownUpload } from '../../blobs/blob-rows.ts'
import { execute, type Queryable, queryOnce, queryRows, queryValues } from '../../database/pool.ts'
import { int, ints, join, json, ref, sql, table, text } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import type {
  AskedDifference,
  AskedFile,
  AskedFiles,
  ShownFile,
} from '../../definitions/field-types/files.ts'
import {
  type FileColumn,
  isFileColumn,
  maxFilesOf,
  refusedFile,
  stripsLocation,
} from '../../definitions/files.ts'
import { isRequired } from '../../definitions/values/field-defaults.ts'
import { addIssue } from '../../issues.ts'
import { type FieldIssue, refused } from './check-values.ts'
import type { WriteContext } from './write-context.ts'
import { WriteRejected } from './write-rejected.ts'
import type { Values } from './write-statements.ts'

type Taken = {
  /** As they are written. */
  readonly values: Values
  /** Makes the files of the record, which is there by then. */
  readonly keep: (id: number) => Promise<void>
}

/** The record of a write. */
type Written = {
  /** Of a record that is locked. */
  readonly id: number | 'new'
  /** Fields that must have a file afterwards, besides those that always must. */
  readonly required?: ReadonlySet<Column> | undefined
  /** The path of a column in the body; by default its name. */
  readonly pathOf?: ((column: string) => string) | undefined
}

type Asked = { readonly column: FileColumn; readonly asked: AskedFiles }

const askedIn = (values: Values): readonly Asked[] =>
  [...values].flatMap(([column, value]) =>
    isFileColumn(column) && value !== null ? [{ column, asked: JSON.parse(String(value)) }] : [],
  )

/** Whether values ask for files. */
export const asksForFiles = (values: Values): boolean => askedIn(values).length > 0

/** Throws a WriteRejected with every upload and file that the writer may not use so. */
export const takeFiles = async (
  database: Queryable,
  context: Pick<WriteContext, 'entity' | 'userId'>,
  values: Values,
  record: Written,
): Promise<Taken> => {
  const asked = askedIn(values)
  if (asked.length === 0) return { values, keep: async () => undefined }
  const issues: FieldIssue[] = []
  const refuse = (path: string, message: string) => addIssue(issues, refused(path, message))
  const known = await findFiles(database, context, asked, record.id)
  const found = await findUploads(database, context, asked)
  const lists = asked.map(({ column, asked: one }) => {
    const path = record.pathOf?.(column.name) ?? column.name
    const list = listOf(one, known.now.get(column) ?? [])
    for (const { at, item } of placesOf(one, column)) {
      const message =
        typeof item === 'string'
          ? uploadIssue(column, found, item)
          : known.ofColumn(column).has(item)
            ? undefined
            : `there is no file ${item} that this record has or had in this field`
      if (message !== undefined) refuse(`${path}${at}`, message)
    }
    const isEmpty = list.length === 0
    if (isEmpty && (isRequired(column) || record.required?.has(column))) refuse(path, 'is required')
    const most = maxFilesOf(column)
    if (list.length > most)
      refuse(path, `would have ${list.length} files; at most ${most} are allowed`)
    return { column, list }
  })
  if (issues.length > 0) throw new WriteRejected(values, issues)
  const made = [...found.uploads.values()]
  const ids = await nextIds(database, made.length)
  const idOf = new Map([...found.uploads.keys()].map((upload, at) => [upload, ids[at] ?? 0]))
  const shown = (column: FileColumn, item: AskedFile): ShownFile | undefined => {
    if (typeof item === 'number') return known.ofColumn(column).get(item)
    const upload = found.uploads.get(item)
    return upload && shownFile({ ...upload, id: idOf.get(item) ?? 0 })
  }
  const written = lists.map(({ column, list }) => {
    const files = list.flatMap((item) => shown(column, item) ?? [])
    return [column, files.length === 0 ? null : JSON.stringify(files)] as const
  })
  const rows = lists.flatMap(({ column, list }) =>
    list.flatMap((item) => {
      const upload = typeof item === 'string' ? found.uploads.get(item) : undefined
      return upload ? [{ ...upload, id: idOf.get(upload.id), column_name: column.name }] : []
    }),
  )
  return {
    values: new Map([...values, ...written]),
    keep: (id) => insertFiles(database, context, id, rows),
  }
}

const shownFile = ({ id, filename, mimetype, bytes, width, height }: ShownFile): ShownFile => ({
  id,
  filename,
  mimetype,
  bytes: Number(bytes),
  width,
  height,
})

const isList = (asked: AskedFiles): asked is readonly AskedFile[] => Array.isArray(asked)

/** The items that a field has afterwards, in their order. */
const listOf = (asked: AskedFiles, now: readonly ShownFile[]): readonly AskedFile[] =>
  isList(asked) ? asked : changedList(asked, now)

const changedList = (
  { add, remove, order }: AskedDifference,
  now: readonly ShownFile[],
): readonly AskedFile[] => {
  const left = now.map(({ id }) => id).filter((id) => !remove.includes(id))
  const all = [...new Set<AskedFile>([...left, ...add])]
  const first = order.filter((id) => all.includes(id))
  return [...first, ...all.filter((item) => typeof item === 'string' || !first.includes(item))]
}

/** What is asked with its places in the value. */
const placesOf = (
  asked: AskedFiles,
  { field }: FileColumn,
): readonly { readonly at: string; readonly item: AskedFile }[] => {
  const placed = (items: readonly AskedFile[], name: string) =>
    items.map((item, at) => ({ item, at: `${name}[${at}]` }))
  if (!isList(asked))
    return (['add', 'remove', 'order'] as const).flatMap((name) => placed(asked[name], `.${name}`))
  return field.type === 'file' ? asked.map((item) => ({ item, at: '' })) : placed(asked, '')
}

type Known = {
  /** By column, the files that it has. */
  readonly now: ReadonlyMap<FileColumn, readonly ShownFile[]>
  /** By id, those that a column has or had. */
  readonly ofColumn: (column: FileColumn) => ReadonlyMap<number, ShownFile>
}

const none: ReadonlyMap<number, ShownFile> = new Map()

const findFiles = async (
  database: Queryable,
  { entity }: Pick<WriteContext, 'entity'>,
  asked: readonly Asked[],
  id: number | 'new',
): Promise<Known> => {
  if (id === 'new') return { now: new Map(), ofColumn: () => none }
  const list = asked.map(({ column }, at) => sql`${ref(column.name, 't')} AS ${ref(`c${at}`)}`)
  const [row] = await queryOnce<Readonly<Record<string, string | null>>>(
    database,
    sql`SELECT ${join(list, ', ')} FROM ${table(entity)} t WHERE t.id = ${int(id)}`,
  )
  const now = new Map(
    asked.map(({ column }, at) => [
      column,
      JSON.parse(row?.[`c${at}`] ?? '[]') as readonly ShownFile[],
    ]),
  )
  const ids = asked.flatMap(({ asked: one, column }) =>
    placesOf(one, column).flatMap(({ item }) => (typeof item === 'number' ? [item] : [])),
  )
  const rows =
    ids.length === 0
      ? []
      : await queryRows<ShownFile & { readonly column_name: string }>(
          database,
          sql`
            SELECT f.id, f.column_name, f.filename, f.mimetype, f.bytes, f.width, f.height
            FROM docket.file f
            WHERE f.entity_key = ${text(entity.key)} AND f.entity_id = ${int(id)} AND f.id = ANY (${ints(ids)})`,
        )
  const byColumn = new Map<string, Map<number, ShownFile>>()
  for (const [column, files] of now)
    byColumn.set(column.name, new Map(files.map((file) => [file.id, file])))
  for (const { column_name: name, ...file } of rows)
    byColumn.get(name)?.set(file.id, shownFile(file))
  return { now, ofColumn: ({ name }) => byColumn.get(name) ?? none }
}

type FoundUploads = {
  readonly uploads: ReadonlyMap<string, TakenUpload>
  /** Those that are named more than once. */
  readonly repeated: ReadonlySet<string>
}

/** They are gone as uploads, if the transaction is not rolled back. */
const findUploads = async (
  database: Queryable,
  { userId }: Pick<WriteContext, 'userId'>,
  asked: readonly Asked[],
): Promise<FoundUploads> => {
  const named = asked.flatMap(uploadsIn)
  const ids = [...new Set(named)]
  const withoutLocation = asked
    .filter(({ column }) => stripsLocation(column))
    .flatMap((one) => uploadsIn(one))
  const repeated = new Set(named.filter((item, at) => named.indexOf(item) !== at))
  if (ids.length === 0) return { uploads: new Map(), repeated }
  return { uploads: await takeUploads(database, userId, ids, withoutLocation), repeated }
}

const uploadsIn = ({ asked }: Asked): readonly string[] =>
  (isList(asked) ? asked : asked.add).filter((item) => typeof item === 'string')

const uploadIssue = (
  { field }: FileColumn,
  { uploads, repeated }: FoundUploads,
  id: string,
): string | undefined => {
  const upload = uploads.get(id)
  if (!upload) return unknownUpload
  if (upload.sha256 === null)
    return `is ${upload.mimetype}, of which the place where it was taken cannot be removed; send it as JPEG, PNG or WebP, of at most 64 MiB`
  return repeated.has(id)
    ? 'is named twice; one upload becomes one file'
    : refusedFile(field, upload)
}

const nextIds = async (database: Queryable, count: number): Promise<readonly number[]> => {
  if (count === 0) return []
  return queryValues<number>(
    database,
    sql`
      SELECT nextval('docket.file_id_seq')::integer AS id
      FROM generate_series(1, ${int(count)})
      ORDER BY 1`,
  )
}

const insertFiles = async (
  database: Queryable,
  { entity, userId }: Pick<WriteContext, 'entity' | 'userId'>,
  entityId: number,
  rows: readonly object[],
): Promise<void> => {
  if (rows.length === 0) return
  await execute(
    database,
    sql`
      INSERT INTO docket.file (
        id, entity_key, entity_id, column_name, sha256, filename, mimetype, bytes, width, height, user_id
      )
      SELECT f.id, ${text(entity.key)}, ${int(entityId)}, f.column_name, f.sha256, f.filename, f.mimetype,
        f.bytes, f.width, f.height, ${int(userId)}
      FROM json_to_recordset(${json(rows)}) AS f (
        id integer, column_name text, sha256 text, filename text, mimetype text, bytes bigint, width integer,
        height integer
      )`,
  )
}
