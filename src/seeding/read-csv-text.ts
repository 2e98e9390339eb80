/** Reads the text of a CSV field as the JSON value that its field takes. */
import type { FieldDefinition } from '../definitions/field-definition.ts'
import { errorText } from '../errors.ts'

/** The value, or why the text is none. */
export const readCsvText = (
  { type }: FieldDefinition,
  text: string,
): { readonly value: unknown } | { readonly message: string } => {
  switch (type) {
    case 'integer':
    case 'manyToOne':
      return /^-?\d+$/.test(text)
        ? { value: Number(text) }
        : { message: `must be a whole number, not ${shown(text)}` }
    case 'boolean':
      return readBoolean(text)
    case 'json':
      return readJson(text)
    case 'string':
    case 'text':
    case 'email':
    case 'bigint':
    case 'decimal':
    case 'date':
    case 'timestamp':
    case 'enum':
    case 'oneToMany':
      return { value: text }
  }
}

const readBoolean = (text: string) => {
  // Spreadsheets write TRUE and FALSE.
  const word = text.toLowerCase()
  return word === 'true' || word === 'false'
    ? { value: word === 'true' }
    : { message: `must be true or false, not ${shown(text)}` }
}

const readJson = (text: string) => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { message: `must be JSON: ${errorText(error)}` }
  }
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 40))
