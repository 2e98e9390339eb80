/** Checks every seed file without a database: its content, and that linked records are in the seeds. */
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding } from '../../definitions/source-file.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { uniqueColumns } from '../../import/read/mapping.ts'
import { seedFolderOf, withFiles } from '../files/named-files.ts'
import {
  errorAt,
  inOrder,
  type Reference,
  type SeedError,
  type SeedFile,
  type SeedRecord,
} from '../files/seed.ts'
import { listSeeds, readSeed } from '../files/seed-file.ts'
import { asIndexed, columnsOf, identifyingValues, indexOf, keyOf } from '../unique-values.ts'
import { checkFile, findLacking } from './check-records.ts'

type KnownRecords = {
  /** By entity and unique column. */
  readonly values: Map<string, Set<SqlValue>>
  /** By entity, then by how its parts are named: the keys of records. */
  readonly keys: Map<string, Map<string, Set<string>>>
}

type Named = Pick<SeedRecord, 'values' | 'references'>

const noRecords = (): KnownRecords => ({ values: new Map(), keys: new Map() })

/** The records that a start creates before seeds: the roles, and the administrator with this e-mail. */
const madeByService = ({ catalog }: Project, adminEmail: string): KnownRecords => {
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
const knownValues = (
  { values }: KnownRecords,
  entityKey: string,
  column: string,
): ReadonlySet<SqlValue> => values.get(nameOf(entityKey, column)) ?? new Set()

/** Adds records by every identifying value. */
const remember = (known: KnownRecords, entity: Entity, records: readonly Named[]): void => {
  for (const column of uniqueColumns(entity)) {
    const index = indexOf(entity, [column])
    const given = records.map(({ values }) => asIndexed(index, column, values.get(column) ?? null))
    const values = setIn(known.values, nameOf(entity.key, column.name))
    for (const value of given) if (value !== null) values.add(value)
  }
  const keys = known.keys.get(entity.key) ?? new Map<string, Set<string>>()
  known.keys.set(entity.key, keys)
  for (const record of records) {
    // A later seed may name it by another of its keys.
    for (const columns of [keyOf(entity), keyOf(entity, [{ values: new Map() }])]) {
      const key = keyIn(entity, columns, record)
      if (key) setIn(keys, key.how).add(key.what)
    }
  }
}

/**
 * Whether a record may exist. When records are identified in several ways, such as by the e-mail or by
 * the id of a user, only the database knows which are the same.
 */
const mayExist = (known: KnownRecords, entity: Entity, record: Named): boolean => {
  const key = keyIn(entity, keyOf(entity, [record]), record)
  const keys = known.keys.get(entity.key)
  if (!key || !keys) return false
  return (
    keys.get(key.how)?.has(key.what) === true || [...keys.keys()].some((how) => how !== key.how)
  )
}

/** The key of a record, and the identifying field of each linked record; undefined when a part is missing. */
const keyIn = (entity: Entity, columns: readonly Column[], record: Named) => {
  const what = identifyingValues(indexOf(entity, columns), columns, record)
  if (!what || columns.length === 0) return undefined
  const ways = columns.map(
    (column) => record.references.find((reference) => reference.column === column)?.by.name ?? '',
  )
  return { how: ways.join(' '), what: JSON.stringify(what) }
}

const nameOf = (entityKey: string, column: string): string => `${entityKey} ${column}`

const setIn = <T>(sets: Map<string, Set<T>>, name: string): Set<T> => {
  const set = sets.get(name) ?? new Set<T>()
  sets.set(name, set)
  return set
}

type Options = {
  readonly timeZone: string
  /** The administrator that a start creates. */
  readonly adminEmail: string
  /** Of a file that a seed names. */
  readonly maxBytes: number
}

type Checking = Options & {
  readonly catalog: Catalog
  readonly known: KnownRecords
  /** Entities with records that could not be read. */
  readonly unread: Set<string>
}

const maxShown = 50

/** The errors of loading, and a warning for each link to a record without a seed. */
export const checkSeeds = async (project: Project, options: Options): Promise<Finding[]> => {
  const { seeds, errors } = await listSeeds(project)
  const { catalog } = project
  const checking: Checking = {
    ...options,
    catalog,
    known: madeByService(project, options.adminEmail),
    unread: new Set(),
  }
  const found: FoundError[] = errors.map(asApiError)
  const folder = { path: seedFolderOf(project.directory), maxBytes: options.maxBytes }
  for (const seed of seeds)
    found.push(...findErrors(checking, await withFiles(await readSeed(project, seed), folder)))
  return toFindings(inOrder(found))
}

type FoundError = SeedError & Pick<Finding, 'severity'>

/** The first findings in order; errors take precedence over warnings. */
const toFindings = (found: readonly FoundError[]): Finding[] => {
  const isError = ({ severity }: FoundError): boolean => severity === 'error'
  const important = [...found.filter(isError), ...found.filter((one) => !isError(one))]
  const shown = new Set(important.slice(0, maxShown))
  const findings = found
    .filter((one) => shown.has(one))
    .map(({ finding, severity }) => ({ ...finding(), severity }))
  const [worst, ...others] = important.slice(maxShown)
  const last = findings.at(-1)
  if (!worst || !last) return findings
  const message = `and ${others.length + 1} more in the seeds`
  return [...findings, { ...last, path: '', message, severity: worst.severity }]
}

const asApiError = (issue: SeedError): FoundError => ({ ...issue, severity: 'error' })

const findErrors = (checking: Checking, seed: SeedFile): FoundError[] => {
  const { entity } = seed
  const { timeZone, catalog, known, unread } = checking
  const { key, records, errors } = checkFile(seed, timeZone)
  if (!seed.isWhole || key.length === 0) unread.add(entity.key)
  if (key.length === 0) return errors.map(asApiError)
  const own = noRecords()
  remember(own, entity, records)
  const links = records.flatMap((record) => checkLinks(checking, seed, record, { own, key }))
  const added = records.filter((record) => !mayExist(known, entity, record))
  const lacking = findLacking(seed, added, { timeZone, firstDayOfWeek: catalog.firstDayOfWeek })
  remember(known, entity, records)
  return [...[...errors, ...lacking].map(asApiError), ...links]
}

const checkLinks = (
  { catalog, known, unread }: Checking,
  seed: SeedFile,
  record: SeedRecord,
  { own, key }: { readonly own: KnownRecords; readonly key: readonly Column[] },
): FoundError[] =>
  record.references.flatMap((reference) => {
    const { column, by, value, path } = reference
    const { target = '' } = column
    const entity = catalog.entities.get(target)
    const compared = asIndexed(entity && indexOf(entity, [by]), by, value)
    const isIn = (records: KnownRecords) => knownValues(records, target, by.name).has(compared)
    // A link in the key is resolved before the records of its file have ids.
    const isOwn = target === seed.entity.key && !key.includes(column) && isIn(own)
    // The database assigns ids, unless a seed names them.
    if (by.name === 'id' || unread.has(target) || isOwn || isIn(known)) return []
    const message = () => lacking(reference, knownValues(known, target, by.name))
    return [{ ...errorAt(seed, path, message), severity: 'warning' as const }]
  })

const lacking = ({ column, by, value }: Reference, known: ReadonlySet<SqlValue>): string => {
  const near = didYouMean(String(value), [...known].map(String))
  return `no seed before it has a ${column.target} with the ${by.name} ${JSON.stringify(value)}${near || '; its record must exist before the seeds are loaded'}`
}
