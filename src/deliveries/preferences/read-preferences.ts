/** Reads the body of a change of preferences; every issue at once. */
import type { Catalog } from '../../definitions/catalog.ts'
import { kindOf } from '../../definitions/values/check-value.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { validationError } from '../../errors.ts'
import { addIssue, type Issue, isFull, shorten } from '../../issues.ts'
import { kindsOf, type Preference } from './preferences.ts'

/** Throws request.invalid with every issue. */
export const readPreferences = (catalog: Catalog, body: unknown): Preference[] => {
  const issues: Issue[] = []
  const wrong: Wrong = (path, message, hint) => addIssue(issues, { path, message }, hint)
  const known = new Set(kindsOf(catalog).map(nameOf))
  const wishes: Preference[] = []
  const named = new Set<string>()
  for (const [index, entry] of entriesOf(body, wrong).entries()) {
    if (isFull(issues)) break
    const at = `data[${index}]`
    const wish = readWish(entry, at, wrong)
    if (!wish) continue
    const name = nameOf(wish)
    if (!known.has(name)) wrong(at, `no notifications are sent for ${shorten(name, 100)}`)
    else if (named.has(name)) wrong(at, `says twice what is wanted for ${name}`)
    named.add(name)
    wishes.push(wish)
  }
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return wishes
}

type Wrong = (path: string, message: string, hint?: () => string) => void

const nameOf = ({ entity, operation }: Pick<Preference, 'entity' | 'operation'>): string =>
  `"${operation}" of "${entity}"`

const entriesOf = (body: unknown, wrong: Wrong): unknown[] => {
  if (!isObject(body)) {
    wrong('', `must be an object, not ${kindOf(body)}`)
    return []
  }
  const { data, ...rest } = body
  refuseOthers(rest, { at: '', names: ['data'] }, wrong)
  if (Array.isArray(data)) return data
  wrong('data', data === undefined ? 'is required' : `must be an array, not ${kindOf(data)}`)
  return []
}

const names = ['entity', 'operation', 'email']

const readWish = (entry: unknown, at: string, wrong: Wrong): Preference | undefined => {
  if (!isObject(entry)) {
    wrong(at, `must be an object, not ${kindOf(entry)}`)
    return undefined
  }
  const { entity, operation, email, ...rest } = entry
  refuseOthers(rest, { at: `${at}.`, names }, wrong)
  const expect = (name: string, value: unknown, type: 'string' | 'boolean') => {
    if (value === undefined) wrong(`${at}.${name}`, 'is required')
    else if (typeof value !== type)
      wrong(`${at}.${name}`, `must be a ${type}, not ${kindOf(value)}`)
  }
  expect('entity', entity, 'string')
  expect('operation', operation, 'string')
  expect('email', email, 'boolean')
  return typeof entity === 'string' && typeof operation === 'string' && typeof email === 'boolean'
    ? { entity, operation, email }
    : undefined
}

const refuseOthers = (
  rest: object,
  { at, names }: { readonly at: string; readonly names: readonly string[] },
  wrong: Wrong,
): void => {
  for (const name of Object.keys(rest)) {
    const shown = shorten(name, 60)
    wrong(`${at}${shown}`, 'is not a property of preferences', () => didYouMean(name, names))
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
