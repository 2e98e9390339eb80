/** Checks of personal fields: each can be emptied, or has a placeholder that is valid. */
import { fieldTypeOf } from '../field-types.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { Finding, SourceFile } from '../source-file.ts'
import { isPersonal, placeholderOf } from '../values/placeholders.ts'

// The placeholder of the largest id is the longest.
const largestId = 2_147_483_647

/** Adds a finding for each personal field that could not be anonymised. */
export const checkPersonal = (
  source: SourceFile,
  { fields, indexes = [] }: EntityDefinition,
  timeZone: string,
  findings: Finding[],
): void => {
  const add = (index: number, message: string) =>
    findings.push(source.finding(['fields', index, 'personal'], message))
  for (const [index, field] of fields.entries()) {
    if (!isPersonal({ field })) continue
    const isUnique =
      ('unique' in field && Boolean(field.unique)) ||
      indexes.some((one) => Boolean(one.unique) && one.fields.includes(field.key))
    const place = { id: largestId, isUnique, timeZone }
    if (('formula' in field && field.formula) || ('rollup' in field && field.rollup))
      add(index, 'is for fields with values of their own: a calculated one follows what it reads')
    else if (placeholderOf({ field, type: fieldTypeOf(field) }, place) === undefined)
      add(
        index,
        `cannot be: the field is required${isUnique ? ' and unique' : ''}, and no placeholder such as "anonymised-7" is valid for it. Leave "required" out, or allow a placeholder.`,
      )
  }
}
