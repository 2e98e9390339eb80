/** The field type url: an absolute URL, by default http or https. */
import { Type } from '../schemas/schema-builder.ts'
import { checkExactLine } from '../values/check-text.ts'
import { refused } from '../values/check-value.ts'
import { textLimits } from '../values/text-limits.ts'
import { fieldType } from './field-type.ts'
import { fieldOf, scalar } from './schema-parts.ts'
import { freeText, ofFreeText } from './texts.ts'

// Schemes that a browser would run, or read from its own machine, are not allowed.
const webSchemes = ['https', 'http']

const { max } = textLimits.url

const joined = new Intl.ListFormat('en', { type: 'disjunction' })

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
    const { schemes = webSchemes } = field
    const wanted = joined.format(schemes.map((scheme) => `${scheme}:`))
    const [first = 'https'] = schemes
    const example = webSchemes.includes(first)
      ? `${first}://www.example.com/page`
      : `${first}:example`
    return {
      ...ofFreeText(field, max, 'exact'),
      width: 40,
      check: (value) => {
        const checked = checkExactLine(value, field, max)
        if ('rule' in checked) return checked
        return isUrl(String(checked.value), schemes)
          ? checked
          : refused(`must be an absolute URL that begins with ${wanted}, such as ${example}`)
      },
      jsonSchema: { type: 'string', format: 'uri', maxLength: max },
      examples: () => [field.default, example],
      mayExceed: () => false,
      formRule: `a URL that begins with ${wanted}`,
    }
  },
)

// The WHATWG parser corrects URLs; one that it would change is rejected.
const isUrl = (text: string, schemes: readonly string[]): boolean => {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined || !schemes.includes(scheme)) return false
  if (/[\s\\<>"^`{|}]/.test(text) || !URL.canParse(text)) return false
  return !webSchemes.includes(scheme) || /^[A-Za-z]+:\/\/[^/?#]/.test(text)
}
