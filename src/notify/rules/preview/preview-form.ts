/** The values that a caller has typed into a form and not sent yet, as far as they could be written. */
import type { Caller } from '../../../auth/caller.ts'
import { isHidden } from '../../../auth/permissions.ts'
import type { Column, Entity } from '../../../definitions/catalog.ts'
import { administratorRole } from '../../../definitions/checks/check-role.ts'
import type { SqlValue } from '../../../definitions/values/check-value.ts'
import { validationError } from '../../../errors.ts'
import { checkNewValues, type FieldIssue } from '../../../records/write/check-values.ts'
import { createReferenceCheck, type ReferenceCheck } from '../../../records/write/write-context.ts'
import type { Values } from '../../../records/write/write-record.ts'
import { checkForm } from '../../../workflow/check-form.ts'
import type { Action, Form } from '../../../workflow/workflow.ts'
import type { EngineDeps } from '../evaluate-rules.ts'
import { withoutLostLinks } from './preview-store.ts'

/** What a caller has typed. */
type Typed = {
  readonly caller: Caller
  readonly entity: Entity
  readonly values: Readonly<Record<string, unknown>>
}

const path = 'values'

/** The values of a new record; what is missing or refused counts as empty. */
export const valuesOfNew = (deps: EngineDeps, asked: Typed): Promise<Values> => {
  const { caller, entity, values: body } = asked
  const rights = deps.permissions.rightsOf(caller, entity)
  const { values, issues } = checkNewValues({
    entity,
    body,
    timeZone: deps.timeZone,
    isHidden: (column) => isHidden(rights, column),
  })
  refuseMalformed(
    issues.map((issue) => ({ ...issue, path: issue.path === '' ? path : `${path}.${issue.path}` })),
  )
  return withoutLostLinks(deps.pool, referencesOf(deps, asked), values)
}

/** The values of the form of an action; a record keeps its own of what is missing or refused. */
export const valuesOfForm = (
  deps: EngineDeps,
  asked: Typed,
  { action, form }: { readonly action: Action; readonly form: Form | undefined },
): Promise<Values> => {
  const { caller, entity, values: given } = asked
  const rights = deps.permissions.rightsOf(caller, entity)
  const { values, issues } = checkForm({
    entity,
    action,
    form,
    given,
    timeZone: deps.timeZone,
    userId: caller.userId,
    isHidden: (column) => isHidden(rights, column),
  })
  refuseMalformed(issues)
  const references = referencesOf(deps, asked)
  // Whoever acts may sign, also if their role may not read users.
  const isOwn = (column: Column, value: SqlValue) =>
    column.target === 'user' && value === caller.userId
  return withoutLostLinks(
    deps.pool,
    (column, value) => (isOwn(column, value) ? undefined : references(column, value)),
    values,
  )
}

const refuseMalformed = (issues: readonly FieldIssue[]): void => {
  const wrong = issues.filter(({ rule }) => rule === 'malformed')
  if (wrong.length > 0) throw validationError('request.invalid', wrong)
}

const referencesOf = ({ catalog, permissions }: EngineDeps, { caller }: Typed): ReferenceCheck =>
  createReferenceCheck({
    catalog,
    isAdministrator: caller.roleKey === administratorRole,
    access: permissions.accessOf(caller),
  })
