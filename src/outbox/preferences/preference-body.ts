/** The body of a change of preferences. */
import type { Static } from 'typebox'
import { byChannel } from '../../definitions/schemas/notification-rule.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { validationError } from '../../errors.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { component } from '../../http/openapi/operation.ts'
import { addIssue, type Issue, isFull, shorten } from '../../issues.ts'
import type { NotificationKind, Preference } from './preferences.ts'

/** A preference of a user, as it is read and written. */
export const preferences = component(
  'Preferences',
  Type.Object(
    {
      data: Type.Array(
        Type.Object(
          {
            entity: Type.String(),
            operation: Type.String(),
            ...byChannel(() => Type.Boolean()),
          },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
)

export const preferencesBody = checkedBody(preferences, {
  fewer: { value: { data: [{ entity: 'purchase_order', operation: 'create', email: false }] } },
})

/** The preferences of a body; throws request.invalid if one has no such notification, or occurs twice. */
export const toPreferences = (
  kinds: readonly NotificationKind[],
  { data }: Static<typeof preferences>,
): readonly Preference[] => {
  const issues: Issue[] = []
  const known = new Set(kinds.map(nameOf))
  const named = new Set<string>()
  for (const [index, preference] of data.entries()) {
    if (isFull(issues)) break
    const path = `data[${index}]`
    const name = nameOf(preference)
    if (!known.has(name))
      addIssue(issues, { path, message: `no notifications are sent for ${shorten(name, 100)}` })
    else if (named.has(name)) addIssue(issues, { path, message: `is the second entry for ${name}` })
    named.add(name)
  }
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return data
}

const nameOf = ({ entity, operation }: NotificationKind): string => `"${operation}" of "${entity}"`
