/** Which files a field takes: the others are refused before they are sent, each with a sentence. */
import {
  defaultMaxFiles,
  isNamedAs,
  usualEnding,
} from '../../../src/definitions/values/media-types.ts'
import type { Field } from '../../api/types.ts'
import type { work } from '../../texts/en/work.ts'
import { formatBytes } from '../format/format-bytes.ts'

/** A file that is dropped, pasted or chosen. */
export type Offered = { readonly file: File; readonly isFolder?: boolean }

/** How many files a field may have. */
const mostOf = ({ type, maxFiles = defaultMaxFiles }: Field): number =>
  type === 'file' ? 1 : maxFiles

type Words = { readonly texts: (typeof work)['files']; readonly locale: string }

/** Why a field does not take a file, in words; its content is looked at by the service. */
const refusalOf = (
  { file, isFolder }: Offered,
  { accept, maxBytes = Number.POSITIVE_INFINITY }: Field,
  { texts, locale }: Words,
): string | undefined => {
  const { kind, bytes, folder, empty } = texts.refusals
  if (isFolder) return folder(file.name)
  if (file.size === 0) return empty(file.name)
  if (accept && !accept.some((pattern) => isNamedAs(pattern, file.name))) return kind(file.name)
  return file.size > maxBytes ? bytes(file.name, formatBytes(maxBytes, locale)) : undefined
}

/** The files that a field takes which has so many, and why it does not take the others. */
export const sortOut = (
  offered: readonly Offered[],
  field: Field,
  count: number,
  words: Words,
): { readonly taken: readonly File[]; readonly refused: readonly string[] } => {
  const most = mostOf(field)
  const taken: File[] = []
  const refused: string[] = []
  for (const one of offered) {
    const isFull = count + taken.length >= most
    const reason =
      refusalOf(one, field, words) ??
      (isFull ? words.texts.refusals.count(one.file.name, most) : undefined)
    if (reason === undefined) taken.push(one.file)
    else refused.push(reason)
  }
  return { taken, refused }
}

/** What a field takes, as its definition says it; empty if that says nothing. */
export const limitsOf = (field: Field, { texts, locale }: Words): string => {
  const { accept, maxBytes, maxFiles, type } = field
  const kinds = accept?.map(
    (pattern) => texts.kinds[pattern] ?? usualEnding(pattern)?.toUpperCase() ?? pattern,
  )
  const limits = [
    ...(kinds ? [texts.takes(kinds.join(', '))] : []),
    ...(maxBytes === undefined
      ? []
      : [texts.mostBytes(formatBytes(maxBytes, locale), type === 'file')]),
    ...(maxFiles === undefined ? [] : [texts.mostFiles(maxFiles)]),
  ].join(' · ')
  return limits.charAt(0).toLocaleUpperCase(locale) + limits.slice(1)
}

/** The kinds of pictures that a field takes, for a camera; undefined if it takes none. */
export const picturesOf = ({ accept = ['image/*'] }: Field): string | undefined =>
  accept.filter((pattern) => pattern.startsWith('image/')).join(',') || undefined
