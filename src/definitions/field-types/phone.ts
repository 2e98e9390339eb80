/** The field type phone: a telephone number, kept in E.164. */
import { Type } from '../schemas/schema-builder.ts'
import { mustHoldText } from '../values/check-text.ts'
import {
  checkPhone,
  checkSearchedPhone,
  examplePhone,
  longestPhone,
  partOfPhone,
} from '../values/rules/phone-numbers.ts'
import { fieldType, ownValues } from './field-type.ts'
import { fieldOf, scalar, textDefault } from './schema-parts.ts'
import { freeLine } from './texts.ts'

export const phone = fieldType(
  fieldOf('phone', 'A telephone number, kept in E.164.', {
    ...scalar,
    default: textDefault,
    region: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{2}$',
        description:
          'Where numbers without their country are dialled (ISO 3166), such as "DE"; by default the region of the locale of the project.',
      }),
    ),
  }),
  // Records from before the field had this type may hold any text, so exports guard it as one.
  freeLine,
  (field) => ({
    sqlType: () => 'text',
    width: 18,
    check: (value) => checkPhone(value, field),
    checkSearched: (value) => checkSearchedPhone(value, field),
    searchedPart: (part, isBeginning) => partOfPhone(part, field, isBeginning),
    jsonSchema: { type: 'string', maxLength: longestPhone },
    notes: ['A telephone number, kept in E.164.'],
    examples: () => [...ownValues(field), examplePhone],
    maxLength: longestPhone,
    maxBytes: 4 * longestPhone,
    refusesEmpty: mustHoldText(field),
    formRule: 'a telephone number',
  }),
)
