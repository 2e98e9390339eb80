/** The fields of a record that steps lock, as its reader may see them. */

import { listColumn } from '../definitions/association-path.ts'
import { type Column, getEntity, getStepColumn, writableColumns } from '../definitions/catalog.ts'
import { locksField } from '../definitions/step-locks.ts'
import type { Reader } from '../query/conditions/compared-paths.ts'
import type { LocksOnRecord } from '../records/write/locks.ts'
import { findStep, getWorkflow } from './workflow.ts'

type LockedField = {
  readonly key: string
  /** The link to the record whose step locks it; null: it is the record itself, or the link is hidden. */
  readonly through: string | null
  readonly step: { readonly key: string; readonly name: string } | null
}

/** One for each field that could be written otherwise, with the step that locks it. */
export const printLocks = (reader: Reader, { own, records }: LocksOnRecord): LockedField[] => {
  const { catalog, entity, access } = reader
  const owner = entity.columns.filter(({ name }) => name === '_owned_by')
  const columns = [...writableColumns(entity), ...owner]
  const lists = [...entity.oneToMany.values()]
    .filter((list) => !getEntity(catalog, list.entity).isNative)
    .map(listColumn)
  const isSeen = (column: Column) => !access.hides(entity, column)
  const [record] = records
  if (record) {
    const { list, step, isReadable } = record
    const [{ column: link }] = list.way
    const through = isSeen(link) ? link.field.key : null
    const known = isReadable ? printedStep({ ...reader, entity: list.parent }, step) : null
    return columns.filter(isSeen).map(({ field: { key } }) => ({ key, through, step: known }))
  }
  if (!own) return []
  const step = printedStep(reader, own.step)
  return [...columns, ...lists]
    .filter((column) => isSeen(column) && locksField(own, column.field.key))
    .map(({ field: { key } }) => ({ key, through: null, step }))
}

const printedStep = ({ entity, access }: Reader, key: string) =>
  access.hides(entity, getStepColumn(entity))
    ? null
    : { key, name: findStep(getWorkflow(entity), key)?.name ?? key }
