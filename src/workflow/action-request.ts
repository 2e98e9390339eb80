/** Parses the body of proceedToStep as far as possible without the record. */

import type { WorkflowDefinition } from '../definitions/schemas/entity-definition.ts'
import { textIssue } from '../definitions/values/check-text.ts'
import { kindOf } from '../definitions/values/check-value.ts'
import { lengthIssue } from '../definitions/values/text-limits.ts'
import { didYouMean } from '../did-you-mean.ts'
import { addIssue, shorten } from '../issues.ts'
import type { FieldIssue } from '../records/write/check-values.ts'
import { recordError } from '../records/write/write-rejected.ts'
import { actionKeys, actionKinds } from './workflow.ts'

/** The action that a caller wants to take, with its values and comment. */
export type ActionRequest = {
  /** A key of an action, or a kind of which exactly one action must be open. */
  readonly actionName: string
  /** Whether the caller's role may take the action of a key. */
  readonly mayTake: (key: string) => boolean
  /** The values of the form, as sent. */
  readonly values: Readonly<Record<string, unknown>>
  readonly comment: string | undefined
  /** Further issues, reported together with those of the values. */
  readonly issues: readonly FieldIssue[]
}

/** Maximum length of a comment, in characters. */
export const longestComment = 10_000

const properties = ['action', 'values', 'comment']

/** Throws request.invalid if there is no such action, because nothing else can be checked then. */
export const parseActionRequest = (
  workflow: WorkflowDefinition,
  body: unknown,
  mayTake: ActionRequest['mayTake'],
): ActionRequest => {
  if (!isObject(body)) throw recordError([malformed('', `must be an object, not ${kindOf(body)}`)])
  const { action, values = {}, comment } = body
  const ofAction = actionIssue(workflow, action)
  const ofComment = comment === undefined ? undefined : commentIssue(comment)
  const issues: FieldIssue[] = []
  for (const name of Object.keys(body).filter((one) => !properties.includes(one)))
    addIssue(issues, malformed(name, 'is not a property of this body'), () =>
      didYouMean(name, properties),
    )
  if (!isObject(values))
    addIssue(issues, malformed('values', `must be an object of fields, not ${kindOf(values)}`))
  if (ofComment !== undefined) addIssue(issues, malformed('comment', ofComment))
  if (ofAction !== undefined || typeof action !== 'string')
    throw recordError([malformed('action', ofAction ?? 'is required'), ...issues])
  return {
    actionName: action,
    mayTake,
    values: isObject(values) ? values : {},
    comment: typeof comment === 'string' ? comment : undefined,
    issues,
  }
}

const malformed = (path: string, message: string): FieldIssue => ({
  path,
  message,
  rule: 'malformed',
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const actionIssue = (workflow: WorkflowDefinition, action: unknown): string | undefined => {
  if (action === undefined) return 'is required'
  if (typeof action !== 'string') return `must be a string, not ${kindOf(action)}`
  const known = [...actionKeys(workflow), ...actionKinds(workflow)]
  if (known.includes(action)) return undefined
  const near = didYouMean(action, known)
  return `${JSON.stringify(shorten(action, 40))} is not an action of this workflow${near}`
}

const commentIssue = (comment: unknown): string | undefined => {
  if (typeof comment !== 'string') return `must be a string, not ${kindOf(comment)}`
  if (comment === '') return 'must not be empty; leave it out instead'
  return lengthIssue(comment, longestComment) ?? textIssue(comment)
}
