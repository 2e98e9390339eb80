/** The language of an answer: what `Accept-Language` asks for, and what the answer says of it (RFC 9110, 12.5.4). */
import type { FastifyReply } from 'fastify'
import type { Languages, Localized } from '../../definitions/translations/languages.ts'
import { readAccepted } from '../accept.ts'
import type { HeaderDescriptions } from '../openapi/operation.ts'
import type { Parameter } from './parameters.ts'

const longestHeader = 500
const tagPattern = /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i

/** The tags that a header `Accept-Language` names, best first, without those that it excludes. */
export const acceptedTags = (header: string | undefined): readonly string[] =>
  [...readAccepted(header?.slice(0, longestHeader))]
    .filter(([tag, quality]) => quality > 0 && tagPattern.test(tag))
    .toSorted(([, a], [, b]) => b - a)
    .map(([tag]) => tag)

/** The languages of the caller, for the names of the definitions. */
export const namesLanguage: Parameter<string> = {
  description:
    'Language of the names in the answer: the first of those that the project has translations for, else that of the definitions.',
  schema: { type: 'string', examples: ['de-AT, de;q=0.9'] },
  absent: undefined,
  read: (text) => text,
}

/** The headers of an answer in a language. */
export const languageHeaders: HeaderDescriptions = {
  'Content-Language': {
    description: 'The language of the names in the answer.',
    schema: { type: 'string' },
  },
}

/** What an endpoint needs to answer in the language of the caller. */
export type LanguageDeps = { readonly languages: Languages }

/** The definitions in the language of the caller. */
export const localizedFor = ({ languages }: LanguageDeps, header: string | undefined): Localized =>
  languages.choose(acceptedTags(header))

/** How the caller writes days and numbers: the first language of the header that is known here. */
export const regionalFor = (header: string | undefined): string | undefined =>
  acceptedTags(header).find(isSupported)

const isSupported = (tag: string): boolean => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

/** The definitions in the language of the caller, which the answer names. */
export const answerIn = (
  deps: LanguageDeps,
  header: string | undefined,
  reply: FastifyReply,
): Localized => {
  const localized = localizedFor(deps, header)
  reply.headers({ 'Content-Language': localized.language, Vary: 'Accept-Language' })
  return localized
}
