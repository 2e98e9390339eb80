/** Checks every seed file without a database: its content, and that linked records are in the seeds. */
import type { Catalog, Column } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding } from '../../definitions/source-file.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import type { Reference, SeedFile, SeedRecord } from '../files/seed.ts'
import { errorAt, errorOfFile, inOrder, type SeedError } from '../files/seed-error.ts'
import { listSeeds, readSeed } from '../files/seed-file.ts'
import { keyOf } from '../match-records.ts'
import { checkKeys, completeNew, findDuplicates } from './check-records.ts'
import { checkSeed } from './check-seed.ts'
import {
  type KnownRecords,
  knownValues,
  madeByService,
  mayExist,
  noRecords,
  remember,
} from './known-records.ts'

type Options = {
  /** The zone of times without an offset. */
  readonly timeZone: string
  /** The administrator that a start creates. */
  readonly adminEmail: string
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
  for (const seed of seeds) found.push(...checkFile(checking, await readSeed(project, seed)))
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

const checkFile = (checking: Checking, seed: SeedFile): FoundError[] => {
  const { entity, file } = seed
  if (keyOf(entity).length === 0) {
    checking.unread.add(entity.key)
    const message = `cannot be loaded: ${entity.key} has no unique field or index to identify its records`
    return [...seed.errors, errorOfFile(file, message)].map(asApiError)
  }
  const { records, errors: wrong } = checkSeed(seed, checking.timeZone)
  const key = keyOf(entity, records)
  const own = noRecords()
  remember(own, entity, records)
  const links = records.flatMap((record) => checkLinks(checking, seed, record, { own, key }))
  const keyless = checkKeys(seed, key, records)
  for (const record of records) record.isNew = !mayExist(checking.known, entity, record)
  const lacking = completeNew(seed, records, checking.timeZone)
  const twice = findDuplicates(seed, records)
  if (!seed.isWhole) checking.unread.add(entity.key)
  remember(checking.known, entity, records)
  return [...[...seed.errors, ...wrong, ...keyless, ...lacking, ...twice].map(asApiError), ...links]
}

/** A link counts as a value for required columns. */
const checkLinks = (
  { known, unread }: Checking,
  seed: SeedFile,
  record: SeedRecord,
  { own, key }: { readonly own: KnownRecords; readonly key: readonly Column[] },
): FoundError[] =>
  record.references.flatMap((reference) => {
    const { column, by, value, path } = reference
    const { target = '' } = column
    const isIn = (records: KnownRecords) => knownValues(records, target, by.name).has(value)
    // A link in the key is resolved before the records of its file have ids.
    const isOwn = target === seed.entity.key && !key.includes(column) && isIn(own)
    record.wrong.add(column)
    // The database assigns ids, unless a seed names them.
    if (by.name === 'id' || unread.has(target) || isOwn || isIn(known)) return []
    const message = () => lacking(reference, knownValues(known, target, by.name))
    return [{ ...errorAt(seed, path, message), severity: 'warning' as const }]
  })

const lacking = ({ column, by, value }: Reference, known: ReadonlySet<SqlValue>): string => {
  const near = didYouMean(String(value), [...known].map(String))
  return `no seed before it has a ${column.target} with the ${by.name} ${JSON.stringify(value)}${near || '; its record must exist before the seeds are loaded'}`
}
