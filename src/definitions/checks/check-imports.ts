/** Checks the imports of an entity: what they match by is unique, and their columns lead to fields that can be written. */
import { didYouMean } from '../../did-you-mean.ts'
import { pathIssue, resolvePath } from '../association-path.ts'
import { type Catalog, type Entity, uniqueIndexes } from '../catalog.ts'
import { throughList } from '../lines.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { ImportMode } from '../schemas/import-definition.ts'
import type { AddFinding } from '../source-file.ts'

/** The columns of fields by which records are found, in the order of their index, or why they are not unique. */
export const matchColumns = (
  entity: Entity,
  match: readonly string[],
  mode: ImportMode,
): { readonly columns: readonly string[] } | { readonly message: string } => {
  const names = match.map((key) => entity.associations.get(key)?.name ?? key)
  if (names.join() === 'id')
    return mode === 'update'
      ? { columns: names }
      : {
          message:
            'must not be "id", by which records are found and none are created: use "update"',
        }
  const index = uniqueIndexes(entity).find(
    ({ columns }) => columns.toSorted().join() === names.toSorted().join(),
  )
  if (index) return { columns: index.columns }
  const known = ['id', ...uniqueIndexes(entity).map(({ columns }) => columns.join())]
  const hint = didYouMean(names.join(), known)
  return { message: `must be fields of ${entity.key} that together are unique${hint}` }
}

export const checkImports = (
  catalog: Catalog,
  entity: Entity,
  { imports = [] }: EntityDefinition,
  add: AddFinding,
): void => {
  const keys = imports.map(({ key }) => key)
  for (const [index, { key, mode = 'insert', match, columns }] of imports.entries()) {
    const at = (...path: readonly (string | number)[]) => ['imports', index, ...path]
    if (keys.indexOf(key) < index) add(at('key'), `"${key}" is defined twice`)
    if (mode === 'insert' && match) add(at('match'), 'is only for "update" and "insertOrUpdate"')
    if (mode !== 'insert' && !match) add(at('mode'), `"${mode}" needs "match"`)
    const found = match && mode !== 'insert' ? matchColumns(entity, match, mode) : undefined
    if (found && 'message' in found) add(at('match'), found.message)
    for (const [head, one] of Object.entries(columns)) {
      const path = typeof one === 'object' ? one?.field : one
      if (path === undefined) continue
      const place = throughList(catalog, entity, path)
      const issue =
        place.list && mode !== 'insert'
          ? 'belongs to lines, which are imported only with new records: use "mode": "insert"'
          : columnIssue(catalog, place.entity, place.path)
      if (issue !== undefined) add(at('columns', head), issue)
    }
  }
}

const columnIssue = (catalog: Catalog, entity: Entity, path: string): string | undefined => {
  const resolved = resolvePath(catalog, entity, path)
  if ('message' in resolved) return pathIssue(resolved)
  const [own] = path.split('.')
  const column = entity.columnsByName.get(own ?? '') ?? entity.associations.get(own ?? '')
  return column?.isCalculated ? `"${path}" is calculated and cannot be imported` : undefined
}
