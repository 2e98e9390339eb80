/** The field types that link records: manyToOne, which has a column, and oneToMany, which has none. */
import { Type } from '../schemas/schema-builder.ts'
import { malformed } from '../values/check-value.ts'
import { checkInteger } from '../values/rules/numbers.ts'
import { asText, fieldType } from './field-type.ts'
import { integral } from './numbers.ts'
import { callerDefault, fieldOf, key, linked, message } from './schema-parts.ts'

export const manyToOne = fieldType(
  fieldOf('manyToOne', 'A link to one record of another entity.', {
    ...linked,
    default: Type.Optional(callerDefault),
    entity: key('The entity that it links to.'),
    where: Type.Optional(
      Type.Object(
        {},
        {
          description:
            'Criteria that the linked record must match; a value may be one of this record: { "$field": "building" }.',
        },
      ),
    ),
    message: message('whose link leads to a record that does not match `where`'),
  }),
  integral,
  () => ({
    sqlType: () => 'integer',
    width: 10,
    check: (value) => checkInteger(value, { min: 1 }),
    checkSearched: (value) => checkInteger(value, { min: 1 }),
    jsonSchema: { type: 'integer', minimum: 1, maximum: 2147483647 },
    examples: () => [3],
  }),
)

/** The records that link here. */
export const oneToMany = fieldType(
  fieldOf('oneToMany', 'Records of another entity that link here; it has no column.', {
    entity: key('The entity whose records link here.'),
    mappedBy: key('The manyToOne field of that entity.'),
    orderBy: Type.Optional(
      key(
        'The integer field of that entity by which the records of one record are in order, such as their position.',
      ),
    ),
  }),
  {
    cast: 'integer',
    comparison: 'none',
    hasOrder: false,
    cell: 'integer',
    csvText: asText,
    jsonText: asText,
  },
  () => ({
    sqlType: () => {
      throw new Error('A one-to-many field has no column.')
    },
    width: 10,
    check: () => malformed('one-to-many fields cannot be written'),
    checkSearched: () => malformed('one-to-many fields cannot be written'),
    jsonSchema: { type: 'array', items: { type: 'integer' } },
    examples: () => [],
  }),
)
