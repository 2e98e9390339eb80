/** Checks what the conditions of a query compare with: the operator and the value that a column takes. */
import type { Column } from '../definitions/catalog.ts'
import { checkText } from '../definitions/check-text.ts'
import type { SqlValue } from '../definitions/check-value.ts'
import type { FieldDefinition, FieldOf } from '../definitions/field-definition.ts'
import { fieldTypeOf } from '../definitions/field-types.ts'
import { textLimits } from '../definitions/text-limits.ts'
import { addMistake, type Mistake } from '../mistakes.ts'
import { operators } from './criteria.ts'

// Which comparisons of a field satisfy the need of an operator.
const satisfied = {
  none: ['text', 'ordered', 'equal', 'none'],
  equal: ['text', 'ordered', 'equal'],
  ordered: ['text', 'ordered'],
  text: ['text'],
} as const

/** Whether a column can be compared in this way. */
export const takesOperator = (column: Column, operator: keyof typeof operators): boolean =>
  (satisfied[operators[operator].needs] as readonly string[]).includes(column.type.comparison)

/**
 * The value to bind for what a condition compares with, null beside a mistake. Rules of a field (range, length, pattern) do not bind
 * what is searched for, only its type.
 */
export const checkOperand = (
  column: Column,
  value: unknown,
  takes: 'value' | 'present' | 'text' | 'list',
  at: string,
  { timeZone, mistakes }: { readonly timeZone: string; readonly mistakes: Mistake[] },
): SqlValue => {
  if (value === null && takes !== 'text') return null
  const bare = bareField(column.field)
  // A part of an enum's word is a fair thing to look for.
  const verdict =
    takes === 'text'
      ? checkText(value, anyText(column.field.key))
      : fieldTypeOf(bare).check(value, bare, { timeZone })
  if ('value' in verdict) return verdict.value
  addMistake(mistakes, { path: at, message: verdict.message })
  return null
}

/** What is searched for need not be a whole address or a short line: its length has a limit of its own. */
const anyText = (key: string): FieldOf<'text'> => ({
  key,
  type: 'text',
  maxLength: textLimits.text.most,
})

const bareField = (field: FieldDefinition): FieldDefinition =>
  field.type === 'email' || field.type === 'string' || field.type === 'text'
    ? anyText(field.key)
    : ({
        key: field.key,
        type: field.type,
        ...(field.type === 'enum' && { values: field.values }),
      } as FieldDefinition)
