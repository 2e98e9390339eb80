/**
 * Scopes of API keys: which rights of its user a key has, as `purchase_order:read,export;contact:read` (docs/roles.md). A scope only
 * takes away: what the roles of the user do not grant, no scope does.
 */
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { didYouMean } from '../did-you-mean.ts'
import { type EntityRights, noRecordRights, recordRights } from './entity-rights.ts'

/** What a scope may name, by its word for permissions of roles; `actions` are those that the roles may take. */
const scopeRights = [
  'read',
  'create',
  'import',
  ...recordRights.filter((right) => right !== 'read'),
  'actions',
] as const
type ScopeRight = (typeof scopeRights)[number]

/** Stands for every entity without an entry of its own, as in roles, and for every right. */
const every = '*'

/** The most characters of a scope, which is a text of each caller. */
export const maxScope = 4000

const namedIssues = 20

type Rights = ReadonlySet<string>

/** By entity. The text is one that was checked. */
const entriesOf = (scope: string): ReadonlyMap<string, Rights> =>
  new Map(
    scope.split(';').map((entry) => {
      const [entity = '', rights = ''] = entry.split(':')
      return [entity, new Set(rights.split(','))]
    }),
  )

/** Returns the rights of a role as far as a scope has them. An entity that the scope names and the project has no more is none. */
export const withinScope = (
  scope: string,
): ((entity: Pick<Entity, 'key'>, rights: EntityRights) => EntityRights) => {
  const entries = entriesOf(scope)
  return ({ key }, rights) => {
    const named = entries.get(key) ?? entries.get(every)
    const has = (right: ScopeRight) => named !== undefined && (named.has(right) || named.has(every))
    // What is done with a record is done with one that is read.
    const scopes = has('read')
      ? (Object.fromEntries(
          recordRights.map((right) => [right, has(right) ? rights.scopes[right] : false]),
        ) as EntityRights['scopes'])
      : noRecordRights
    return {
      ...rights,
      scopes,
      create: has('create') && rights.create,
      import: has('import') && rights.import,
      actions: has('read') && has('actions') ? rights.actions : new Set(),
    }
  }
}

/** A scope as it is stored, or what is wrong with it. */
export type ParsedKeyScope = { readonly scope: string } | { readonly issues: readonly string[] }

/** Parses the scope that a person has written: entities are those of the project, in their order. */
export const parseKeyScope = (catalog: Catalog, given: string): ParsedKeyScope => {
  if (given.length > maxScope) return { issues: [`has more than ${maxScope} characters`] }
  const found = new Map<string, Set<string>>()
  const issues: string[] = []
  for (const entry of given.split(';')) {
    const [entity = '', rights, ...more] = entry.split(':').map((part) => part.trim())
    if (rights === undefined || more.length > 0 || rights === '') {
      issues.push(`"${entry.trim()}" is not of the form entity:right,right`)
      continue
    }
    const named = rights.split(',').map((right) => right.trim())
    issues.push(...issuesOf(catalog, entity, named))
    found.set(entity, (found.get(entity) ?? new Set()).union(new Set(named)))
  }
  for (const [entity, rights] of found)
    if (![every, 'read'].some((right) => rights.has(right)) && [...rights].join() !== 'create')
      issues.push(`"${entity}" needs the right "read" too: all but "create" do`)
  return issues.length > 0
    ? { issues: issues.slice(0, namedIssues) }
    : { scope: printScope(catalog, found) }
}

const issuesOf = (
  { entities }: Catalog,
  entity: string,
  rights: readonly string[],
): readonly string[] => {
  const known: readonly string[] = scopeRights
  return [
    ...(entity === every || entities.has(entity)
      ? []
      : [`there is no entity "${entity}"${didYouMean(entity, entities.keys())}`]),
    ...rights
      .filter((right) => right !== every && !known.includes(right))
      .map(
        (right) =>
          `there is no right "${right}"${didYouMean(right, known)} (${[...known, every].join(', ')})`,
      ),
  ]
}

const printScope = ({ entities }: Catalog, found: ReadonlyMap<string, Rights>): string => {
  const print = (rights: Rights) =>
    rights.has(every) ? every : scopeRights.filter((right) => rights.has(right)).join()
  return [every, ...entities.keys()]
    .flatMap((key) => {
      const rights = found.get(key)
      return rights ? [`${key}:${print(rights)}`] : []
    })
    .join(';')
}

/** The entities that a scope names and the project has no more: on them the key has no right. */
export const unknownInScope = ({ entities }: Catalog, scope: string): readonly string[] =>
  [...entriesOf(scope).keys()].filter((key) => key !== every && !entities.has(key))
