/** Mentions as they are typed (`@Anna Novak`), stored (`@[7]`), and shown. */
import type { Person } from '../../../src/api/people/people-endpoint.ts'

/** A user whom a typed text names. */
export type Mentioned = { readonly id: number; readonly name: string }

/** How a text names a user: people of the same name by their ids too. */
export const nameIn = (
  { id, full_name: name }: Person,
  mentioned: readonly Mentioned[],
): string | undefined => {
  const known = mentioned.find((one) => one.id === id)
  if (known || name === null) return known?.name
  return mentioned.some((one) => one.name === name) ? `${name} (${id})` : name
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const stored = /@\[(\d+)\]/g

/** A stored text for an input: with the names of those whom it mentions, as far as the user may know them. */
export const typedOf = (text: string, people: readonly Person[]) => {
  const mentioned: Mentioned[] = []
  for (const person of people) {
    const name = nameIn(person, mentioned)
    if (name !== undefined) mentioned.push({ id: person.id, name })
  }
  const names = new Map(mentioned.map(({ id, name }) => [`${id}`, name]))
  const typed = text.replaceAll(stored, (all, id: string) =>
    names.has(id) ? `@${names.get(id)}` : all,
  )
  return { text: typed, mentioned }
}

/** The names in a typed text, the longest first: one name may begin with another. */
const namesIn = (mentioned: readonly Mentioned[]): RegExp | undefined => {
  const names = mentioned.map(({ name }) => name).sort((one, other) => other.length - one.length)
  return names.length === 0
    ? undefined
    : new RegExp(`@(${names.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'gu')
}

/** A typed text as it is stored. */
export const storedOf = (typed: string, mentioned: readonly Mentioned[]): string => {
  const ids = new Map(mentioned.map(({ id, name }) => [name, id]))
  const names = namesIn(mentioned)
  return names ? typed.replaceAll(names, (_all, name: string) => `@[${ids.get(name)}]`) : typed
}

/** Those of the chosen users whom a typed text still names. */
export const stillMentioned = (
  typed: string,
  mentioned: readonly Mentioned[],
): readonly Mentioned[] => {
  const names = namesIn(mentioned)
  const found = new Set(names && [...typed.matchAll(names)].map(([, name]) => name))
  return mentioned.filter(({ name }) => found.has(name))
}

/** The words after an `@` before the caret, and where it stands. */
export type Sought = { readonly begin: number; readonly words: string }

// A name of several words is sought as it is typed; after a line, a bracket or another `@` nobody is.
const lastMention = /(?:^|[\s(])@((?:[^\s@()[\]]+ ){0,2}[^\s@()[\]]{0,40})$/u

export const soughtAt = (text: string, caret: number): Sought | undefined => {
  const before = text.slice(0, caret)
  const [, words] = lastMention.exec(before) ?? []
  return words === undefined ? undefined : { begin: before.length - words.length - 1, words }
}

// It stands behind a name without a space.
const followsDirectly = /^[\s.,;:!?…)\]}]/

/**
 * A text with the name of a chosen user in place of the words that were sought, and one space behind it, unless the end of a line or
 * of a sentence is there; and where the caret stands: behind that space.
 */
export const withMention = (text: string, { begin, words }: Sought, written: string) => {
  const rest = text.slice(begin + 1 + words.length)
  const before = `${text.slice(0, begin)}${written}${followsDirectly.test(rest) ? '' : ' '}`
  return { text: before + rest, caret: before.length + (rest.startsWith(' ') ? 1 : 0) }
}

/** A part of a stored text: plain, an address, or a mention. */
export type Segment =
  | { readonly kind: 'text' | 'address'; readonly text: string }
  | { readonly kind: 'mention'; readonly id: number; readonly text: string }

const marked = /(@\[\d+\]|https?:\/\/[^\s<>"“”«»]+)/g
// What ends a sentence is no part of an address in it.
const sentenceEnd = /[.,;:!?'’)\]}]+$/

const addressIn = (text: string): readonly Segment[] => {
  const end = sentenceEnd.exec(text)?.[0] ?? ''
  // A bracket belongs to an address that opens it.
  const kept = end.startsWith(')') && text.includes('(') ? ')' : ''
  const address = text.slice(0, text.length - end.length) + kept
  const rest = end.slice(kept.length)
  const isAddress = URL.canParse(address)
  return [
    { kind: isAddress ? 'address' : 'text', text: address },
    ...(rest === '' ? [] : [{ kind: 'text', text: rest } as const]),
  ]
}

/** The parts of a text; those whom it mentions by their names, as far as the user may know them. */
export const segmentsOf = (text: string, people: readonly Person[]): readonly Segment[] => {
  const names = new Map(people.map(({ id, full_name: name }) => [`${id}`, name ?? `${id}`]))
  return text.split(marked).flatMap((part): readonly Segment[] => {
    if (part === '') return []
    const id = /^@\[(\d+)\]$/.exec(part)?.[1] ?? ''
    const name = names.get(id)
    if (name !== undefined) return [{ kind: 'mention', id: Number(id), text: `@${name}` }]
    return /^https?:/.test(part) ? addressIn(part) : [{ kind: 'text', text: part }]
  })
}
