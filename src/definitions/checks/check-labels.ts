/**
 * Checks the labels of a file, which appear in headings, messages and logs: every character must be
 * visible.
 */
import type { Finding, JsonPath, SourceFile } from '../source-file.ts'
import { lineIssue } from '../values/check-text.ts'

const labels = ['name', 'pluralName', 'headerName', 'unit']
// Values of records, whose fields may have the names of labels.
const ofRecords = ['default', 'condition', 'conditions', 'set']

/** Adds a finding for every label with a forbidden character. */
export const checkLabels = (source: SourceFile, findings: Finding[]): void => {
  for (const { path, message } of labelIssues(source.value, []))
    findings.push(source.finding(path, message))
}

type LabelIssue = { readonly path: JsonPath; readonly message: string }

const labelIssues = (value: unknown, path: JsonPath): LabelIssue[] => {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value))
    return value.flatMap((inner, index) => labelIssues(inner, [...path, index]))
  return Object.entries(value).flatMap(([key, inner]) => {
    if (ofRecords.includes(key)) return []
    const message =
      labels.includes(key) && typeof inner === 'string' ? labelIssue(key, inner) : undefined
    return message === undefined
      ? labelIssues(inner, [...path, key])
      : [{ path: [...path, key], message }]
  })
}

/** Why a label cannot be shown; the header of a column may have several lines. */
export const labelIssue = (label: string, text: string): string | undefined => {
  const wrong = lineIssue(text)
  // The header of a column may have several lines, as in spreadsheets.
  if (wrong !== undefined || label === 'headerName') return wrong
  const position = text.search(/[\t\n\r]/)
  return position < 0
    ? undefined
    : `contains a tab or a line break at position ${position}; use a single line`
}

/** Why a message cannot be shown, or never is: without the rule that it explains. */
export const messageIssue = (
  message: string | undefined,
  rule: unknown,
  ruleName: string,
): string | undefined => {
  if (message === undefined) return undefined
  return rule === undefined ? `needs a "${ruleName}"` : labelIssue('message', message)
}
