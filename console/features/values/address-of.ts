/** Where a value leads that is an address of the web, of e-mail or of a telephone; nothing else is a link, such as a script. */
import type { Field } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'

const schemes: ReadonlySet<string> = new Set([
  'http:',
  'https:',
  'ftp:',
  'ftps:',
  'mailto:',
  'tel:',
])
const schemeOf = (text: string): string | undefined =>
  URL.canParse(text) ? new URL(text).protocol : undefined

// With its country, a number is one wherever it stands; else the field has to say so.
const international = /^\+[1-9][0-9 ()./-]{5,24}$/
const national = /^[+0(]?[0-9 ()./-]{4,24}$/
const isOfTelephones = ({ key, name = '' }: Field): boolean =>
  /(^|_)(phone|tel|telephone|telefon|mobile|mobil|handy|fax)/i.test(key) ||
  /\b(phone|telephone|telefon|mobile|handy|fax)/i.test(name)

/** The address of a link; undefined for what is none. */
export const addressOf = (value: unknown, field: Field): string | undefined => {
  if (typeof value !== 'string' || value === '') return undefined
  const { address } = kindOf(field)
  if (address === 'web') {
    const scheme = schemeOf(value)
    return scheme !== undefined && schemes.has(scheme) ? value : undefined
  }
  if (address === 'mail') return `mailto:${encodeURIComponent(value).replaceAll('%40', '@')}`
  if (address === 'number' && international.test(value)) return `tel:${value}`
  if (address !== 'telephone') return undefined
  const isNumber = international.test(value) || (isOfTelephones(field) && national.test(value))
  return isNumber ? `tel:${value.replaceAll(/[^+\d]/g, '')}` : undefined
}

/** What a link to it has: it opens in another tab, and sends no referrer. */
export const outside = { target: '_blank', rel: 'noopener noreferrer' } as const
