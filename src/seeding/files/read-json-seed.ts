/** Parses a seed file in JSON: an array of objects. */
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { type JsonPath, parseSourceFile } from '../../definitions/source-file.ts'
import { kindOf } from '../../definitions/values/check-value.ts'
import { resolveTarget } from '../target-column.ts'
import type { Cell, RawRecord, SeedFile, SeedName } from './seed.ts'
import { errorAt, type Located, type SeedError } from './seed-error.ts'

/** The records of a JSON text; values that are not records, and unknown names, are errors. */
export const readJsonSeed = (catalog: Catalog, seed: SeedName, text: string): SeedFile => {
  const { source, findings } = parseSourceFile(seed.file, text)
  const errors: SeedError[] = findings.map((finding) => ({
    file: seed.file,
    record: -1,
    finding: () => finding,
  }))
  const { value } = source
  const located: Located = { file: seed.file, finding: source.finding }
  const isList = Array.isArray(value)
  if (value !== undefined && !isList)
    errors.push(errorAt(located, [], `must be an array of records, not ${kindOf(value)}`))
  const list: readonly unknown[] = isList ? value : []
  const records = list.flatMap((record, index) => {
    if (isObject(record)) return [readRecord({ catalog, seed, located, errors }, index, record)]
    errors.push(errorAt(located, [index], `must be an object of fields, not ${kindOf(record)}`))
    return []
  })
  return {
    ...seed,
    ...located,
    records,
    isWhole: isList && records.length === list.length,
    errors,
  }
}

type Reading = {
  readonly catalog: Catalog
  readonly seed: SeedName
  readonly located: Located
  readonly errors: SeedError[]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readRecord = (
  { catalog, seed: { entity }, located, errors }: Reading,
  index: number,
  record: Record<string, unknown>,
): RawRecord => {
  const cells = new Map<Column, Cell>()
  const wrong: Column[] = []
  for (const [key, value] of Object.entries(record)) {
    const cell = cellOf(catalog, entity, { path: [index, key], value })
    const before = 'target' in cell ? cells.get(cell.target.column) : undefined
    if ('target' in cell && !before) {
      cells.set(cell.target.column, cell)
      continue
    }
    const message = 'target' in cell ? `is given twice, also as "${before?.path[1]}"` : cell.message
    errors.push(errorAt(located, 'target' in cell ? [index, key] : cell.path, message))
    const association = entity.associations.get(key)
    if (association) wrong.push(association)
  }
  return { index, cells: [...cells.values()], wrong }
}

type Given = { readonly path: readonly [number, string]; readonly value: unknown }

const cellOf = (
  catalog: Catalog,
  entity: Entity,
  { path, value }: Given,
): Cell | { readonly path: JsonPath; readonly message: string } => {
  const [, key] = path
  const association = entity.associations.get(key)
  // An association that is null.
  if (association && value === null)
    return { target: { column: association, by: undefined }, value, path }
  const named = association && isObject(value) ? Object.entries(value) : undefined
  if (named && named.length !== 1)
    return {
      path,
      message: `must name one unique field of ${association?.target}, not ${named.length}`,
    }
  const [[field, inner] = [undefined, value]] = named ?? []
  const at: JsonPath = field === undefined ? path : [...path, field]
  const target = resolveTarget(catalog, { entity, key, field })
  return 'column' in target
    ? { target, value: inner, path: at }
    : { path: at, message: target.message }
}
