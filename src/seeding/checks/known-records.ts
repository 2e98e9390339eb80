/** The records that exist when a seed file is loaded, as far as known without a database. */

import type { Column, Entity } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import type { SeedRecord } from '../files/seed.ts'
import { columnsOf, keyOf } from '../match-records.ts'
import { uniqueColumns } from '../target-column.ts'

export type KnownRecords = {
  /** By entity and unique column. */
  readonly values: Map<string, Set<SqlValue>>
  /** By entity, then by how its parts are named: the keys of records. */
  readonly keys: Map<string, Map<string, Set<string>>>
}

type Named = Pick<SeedRecord, 'values' | 'references'>

export const noRecords = (): KnownRecords => ({ values: new Map(), keys: new Map() })

/** The records that a start creates before seeds: the roles, and the administrator with this e-mail. */
export const madeByService = ({ catalog }: Project, adminEmail: string): KnownRecords => {
  const known = noRecords()
  const make = (entityKey: string, names: readonly string[], value: string) => {
    const entity = catalog.entities.get(entityKey)
    if (!entity) return
    const values = new Map(columnsOf(entity, names).map((column) => [column, value]))
    remember(known, entity, [{ values, references: [] }])
  }
  for (const key of [administratorRole, ...catalog.roles.keys()])
    make('security_role', ['key'], key)
  make('user', ['identity_provider_user_id', 'username', 'email'], adminEmail)
  return known
}

/** The values of a unique column of an entity. */
export const knownValues = (
  { values }: KnownRecords,
  entityKey: string,
  column: string,
): ReadonlySet<SqlValue> => values.get(nameOf(entityKey, column)) ?? new Set()

/** Adds records by every identifying value. */
export const remember = (known: KnownRecords, entity: Entity, records: readonly Named[]): void => {
  for (const column of uniqueColumns(entity)) {
    const given = records.map(({ values }) => values.get(column) ?? null)
    const values = setIn(known.values, nameOf(entity.key, column.name))
    for (const value of given) if (value !== null) values.add(value)
  }
  const keys = known.keys.get(entity.key) ?? new Map<string, Set<string>>()
  known.keys.set(entity.key, keys)
  for (const record of records) {
    // A later seed may name it by another of its keys.
    for (const columns of [keyOf(entity), keyOf(entity, [{ values: new Map() }])]) {
      const key = keyIn(columns, record)
      if (key) setIn(keys, key.how).add(key.what)
    }
  }
}

/**
 * Whether a record may exist. When records are identified in several ways, such as by the e-mail or by
 * the id of a user, only the database knows which are the same.
 */
export const mayExist = (known: KnownRecords, entity: Entity, record: Named): boolean => {
  const key = keyIn(keyOf(entity, [record]), record)
  const keys = known.keys.get(entity.key)
  if (!key || !keys) return false
  return (
    keys.get(key.how)?.has(key.what) === true || [...keys.keys()].some((how) => how !== key.how)
  )
}

/** The key of a record, and the identifying field of each linked record; undefined when a part is missing. */
const keyIn = (columns: readonly Column[], { values, references }: Named) => {
  const parts = columns.map((column) => {
    const link = references.find((reference) => reference.column === column)
    return { by: link?.by.name ?? '', value: link?.value ?? values.get(column) ?? null }
  })
  if (parts.length === 0 || parts.some(({ value }) => value === null)) return undefined
  return {
    how: parts.map(({ by }) => by).join(' '),
    what: JSON.stringify(parts.map(({ value }) => value)),
  }
}

const nameOf = (entityKey: string, column: string): string => `${entityKey} ${column}`

const setIn = <T>(sets: Map<string, Set<T>>, name: string): Set<T> => {
  const set = sets.get(name) ?? new Set<T>()
  sets.set(name, set)
  return set
}
