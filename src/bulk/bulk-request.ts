/** Reads the request of a bulk operation: its mode, its ids or criteria, and its body. */
import { isObject, kindOf } from '../definitions/values/check-value.ts'
import { didYouMean } from '../did-you-mean.ts'
import { validationError } from '../errors.ts'
import { isId } from '../http/endpoint/parameters.ts'
import { addIssue, type Issue, isFull } from '../issues.ts'
import type { Criteria } from '../query/criteria/criteria.ts'
import { parseCriteria } from '../query/criteria/parse-criteria.ts'

export const operationNames = ['change', 'action', 'remove', 'takeOwnership'] as const
export type OperationName = (typeof operationNames)[number]

const isOperationName = (name: string): name is OperationName =>
  operationNames.some((one) => one === name)

/** The most records of one request. */
export const maxRecords = 1000

export type BulkRequest = {
  readonly targets: { readonly ids: readonly number[] } | { readonly criteria: Criteria }
  /** The version that the caller has read, by id. */
  readonly versions: ReadonlyMap<number, number>
  readonly operation: OperationName
  /** The object `do`. */
  readonly wanted: Wanted
  readonly isDryRun: boolean
}

export type Wanted = Readonly<Record<string, unknown>>

const properties = ['ids', 'criteria', 'do', 'versions', 'dryRun']
const criteriaKeys = ['$where', '$search', '$orderBy']

/** Throws request.invalid or criteria.invalid with every issue. */
export const parseBulkRequest = (body: unknown): BulkRequest => {
  if (!isObject(body)) throw invalid([{ path: '', message: mustBe('an object', body) }])
  const issues: Issue[] = []
  for (const name of Object.keys(body).filter((one) => !properties.includes(one)))
    addIssue(issues, { path: name, message: 'is not a property of this body' }, () =>
      didYouMean(name, properties),
    )
  const { ids, criteria, dryRun = false, versions } = body
  if ((ids === undefined) === (criteria === undefined))
    addIssue(issues, { path: '', message: 'must have either `ids` or `criteria`' })
  if (typeof dryRun !== 'boolean')
    addIssue(issues, { path: 'dryRun', message: mustBe('true or false', dryRun) })
  const given = {
    ids: ids === undefined ? [] : readIds(ids, issues),
    versions: versions === undefined ? new Map<number, number>() : readVersions(versions, issues),
    operation: operationOf(body.do),
  }
  if (criteria !== undefined) checkCriteriaKeys(criteria, issues)
  const { operation } = given
  if (operation === undefined)
    addIssue(issues, {
      path: 'do',
      message: `must be an object with one of ${operationNames.join(', ')}`,
    })
  if (issues.length > 0 || operation === undefined) throw invalid(issues)
  return {
    targets: criteria === undefined ? { ids: given.ids } : { criteria: parseCriteria(criteria) },
    versions: given.versions,
    operation,
    wanted: isObject(body.do) ? body.do : {},
    isDryRun: dryRun === true,
  }
}

/** The operation that `do` names; undefined if it names none or several. */
export const operationOf = (wanted: unknown): OperationName | undefined => {
  const [name, ...others] = isObject(wanted) ? Object.keys(wanted).filter(isOperationName) : []
  return others.length === 0 ? name : undefined
}

export const invalid = (issues: readonly Issue[]) => validationError('request.invalid', issues)

export const mustBe = (what: string, value: unknown): string =>
  `must be ${what}, not ${kindOf(value)}`

const readIds = (ids: unknown, issues: Issue[]): readonly number[] => {
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > maxRecords) {
    const found = Array.isArray(ids) ? `${ids.length} entries` : kindOf(ids)
    addIssue(issues, {
      path: 'ids',
      message: `must be an array of 1 to ${maxRecords} ids, not ${found}`,
    })
    return []
  }
  const seen = new Set<number>()
  for (const [index, id] of ids.entries()) {
    if (isFull(issues)) break
    const path = `ids[${index}]`
    if (!isId(id)) addIssue(issues, { path, message: 'must be the id of a record' })
    else if (seen.has(id)) addIssue(issues, { path, message: `is ${id} again` })
    else seen.add(id)
  }
  return [...seen]
}

const readVersions = (versions: unknown, issues: Issue[]): ReadonlyMap<number, number> => {
  const read = new Map<number, number>()
  if (!isObject(versions)) {
    addIssue(issues, { path: 'versions', message: mustBe('an object of versions by id', versions) })
    return read
  }
  const entries = Object.entries(versions)
  if (entries.length > maxRecords)
    addIssue(issues, { path: 'versions', message: `has more than ${maxRecords} entries` })
  for (const [id, version] of entries.slice(0, maxRecords)) {
    if (isFull(issues)) break
    if (/^[1-9]\d*$/.test(id) && isId(Number(id)) && isId(version)) read.set(Number(id), version)
    else
      addIssue(issues, {
        path: `versions.${id}`,
        message: 'must be a version by the id of a record',
      })
  }
  return read
}

const checkCriteriaKeys = (criteria: unknown, issues: Issue[]): void => {
  if (!isObject(criteria)) {
    addIssue(issues, { path: 'criteria', message: mustBe('an object', criteria) })
    return
  }
  for (const key of Object.keys(criteria).filter((one) => !criteriaKeys.includes(one))) {
    if (isFull(issues)) return
    addIssue(issues, { path: `criteria.${key}`, message: 'is not accepted here' }, () =>
      didYouMean(key, criteriaKeys),
    )
  }
}
