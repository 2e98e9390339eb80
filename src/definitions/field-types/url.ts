/** The field type url: an absolute URL, by default http or https. */
import { Type } from '../schemas/schema-builder.ts'
import { checkUrl, schemesOf } from '../values/rules/lines.ts'
import { textLimits } from '../values/text-limits.ts'
import { fieldType } from './field-type.ts'
import { fieldOf, scalar } from './schema-parts.ts'
import { freeText, ofFreeText } from './texts.ts'

const { max } = textLimits.url

/** An absolute URL (RFC 3986), stored unchanged. */
export const url = fieldType(
  fieldOf('url', 'An absolute URL, stored unchanged.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    schemes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z][a-z0-9+.-]*$' }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Schemes that it may begin with; https and http by default.',
      }),
    ),
  }),
  // The server that it names may tell two encodings of a letter apart.
  { ...freeText, textForm: 'exact' },
  (field) => {
    const { wanted, example } = schemesOf(field)
    return {
      ...ofFreeText(field, max, 'exact'),
      width: 40,
      check: (value) => checkUrl(value, field),
      jsonSchema: { type: 'string', format: 'uri', maxLength: max },
      examples: () => [field.default, example],
      mayExceed: () => false,
      formRule: `a URL that begins with ${wanted}`,
    }
  },
)
