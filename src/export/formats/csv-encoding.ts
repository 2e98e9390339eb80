/** Encodings of CSV: the texts that the service adds to what PostgreSQL has encoded, and what an encoding lacks. */

import { type CsvEncoding, csvEncodings } from '../../definitions/values/rules/csv-dialects.ts'
import { apiError } from '../../errors.ts'
import type { ExportSheet, Refusal } from '../export-format.ts'

/** The name of the encoding in which PostgreSQL writes the rows. */
export const databaseEncoding = (encoding: CsvEncoding): string => csvEncodings[encoding] ?? 'UTF8'

const controls = /[\u0080-\u009F]/

/** The characters of the bytes from 128 on. Those that stand for no character are read as controls, and not written. */
const upperHalf = (encoding: CsvEncoding): ReadonlyMap<string, number> => {
  const bytes = Uint8Array.from({ length: 128 }, (_, index) => 128 + index)
  const characters = [...new TextDecoder(encoding).decode(bytes)]
  return new Map(
    characters.flatMap((one, index) => (controls.test(one) ? [] : [[one, 128 + index] as const])),
  )
}

const isUnicode = (encoding: CsvEncoding): boolean => encoding.startsWith('utf-')

/** The bytes of a text that the encoding has. */
export const encodeCsv = (text: string, encoding: CsvEncoding): Buffer => {
  if (isUnicode(encoding)) return Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le')
  const upper = upperHalf(encoding)
  return Buffer.from([...text].map((one) => upper.get(one) ?? one.charCodeAt(0)))
}

/** A file of an encoding that lacks some characters has all of its texts, or there is none. */
export const refuseCharacters = ({ columns, csv }: ExportSheet): Refusal | undefined => {
  const { encoding } = csv
  if (isUnicode(encoding)) return undefined
  const upper = [...upperHalf(encoding).keys()].join('')
  const says = [
    `The encoding ${encoding} lacks characters of `,
    '; ask for utf-8 or utf-16, or leave these columns out.',
  ] as const
  const code = 'export.not-encodable'
  const lacks = new RegExp(`[^\\u0001-\\u007F${upper}]`, 'u')
  const wrong = columns.find(({ header }) => lacks.test(header))
  if (wrong) throw apiError(code, `${says[0]}the header ${JSON.stringify(wrong.header)}${says[1]}`)
  return {
    code,
    mayConcern: ({ cell }) => cell === 'text' || cell === 'json',
    // A text of as many bytes as characters has no others than those of ASCII.
    wrongPart: (text) => `CASE WHEN octet_length(${text}) > length(${text})
      THEN substring(${text} FROM '[^\\u0001-\\u007F${upper}]') END`,
    says,
  }
}
