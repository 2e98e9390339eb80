/** Fields that actions fill with whoever takes them: nothing else writes these. */
import type { EntityDefinition } from '../schemas/entity-definition.ts'

/** By key of a field, the keys of the actions that fill it with their caller, each once. */
export const callerFieldsOf = ({
  workflow,
}: Pick<EntityDefinition, 'workflow'>): ReadonlyMap<string, readonly string[]> => {
  const { steps = [], forms = [] } = workflow ?? {}
  const byField = new Map<string, Set<string>>()
  for (const { key, form: name } of steps.flatMap(({ actions = [] }) => actions))
    for (const field of forms.find((form) => form.key === name)?.callerFields ?? [])
      byField.set(field, (byField.get(field) ?? new Set()).add(key))
  return new Map([...byField].map(([field, keys]) => [field, [...keys]]))
}
