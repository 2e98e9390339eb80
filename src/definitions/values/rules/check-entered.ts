/**
 * Checks what people enter before it is sent, by the same rules as the service: forms load it in the browser, so nothing here
 * may need Node.js (docs/decisions/0108-forms-check-by-the-rules-of-the-service.md).
 */
import type { FieldTypeName } from '../../field-types.ts'
import { type CheckResult, inRange } from '../check-value.ts'
import { checkBigint, checkDecimal, checkInteger } from './numbers.ts'
import { checkEmail, checkString, checkText, checkUrl, type Matches } from './text-rules.ts'

type Check = (value: never, field: never, matches: Matches) => CheckResult

// Days with years of four digits are in the order of their texts.
const checkDay = (day: string, range: { readonly min?: string; readonly max?: string }) =>
  inRange(day, range, (one, other) => (one < other ? -1 : Number(one > other)))

/** Types whose inputs give nothing that breaks a rule, and those that the service alone can decide, are left out. */
const checks: Readonly<Partial<Record<FieldTypeName, Check>>> = {
  string: checkString,
  text: checkText,
  email: checkEmail,
  url: checkUrl,
  integer: checkInteger,
  bigint: checkBigint,
  decimal: checkDecimal,
  date: checkDay,
}

/** The check of a value of a field, as the definition has it; `matches` decides about patterns. */
export const checkEntered = (
  value: unknown,
  field: { readonly type: FieldTypeName },
  matches: Matches,
): CheckResult | undefined => checks[field.type]?.(value as never, field as never, matches)
