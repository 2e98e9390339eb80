/** What a new API key may do: the rights of the user, by entity, of which some are ticked. */
import type { ReactNode } from 'react'
import type { Entity } from '../../../api/types.ts'
import { useAdminTexts } from '../../../texts/texts.ts'
import { useSession } from '../../session/session.ts'

const rights = [
  'read',
  'create',
  'update',
  'delete',
  'export',
  'import',
  'tasks',
  'comments',
  'internalComments',
  'actions',
  'takeOwnership',
  'anonymise',
  'purge',
] as const
type Right = (typeof rights)[number]

/** The ticked rights, by the key of the entity. */
export type ChosenRights = ReadonlyMap<string, ReadonlySet<Right>>

/** As the service reads it; an empty text if nothing is ticked. */
export const scopeOf = (chosen: ChosenRights): string =>
  [...chosen]
    .filter(([, ticked]) => ticked.size > 0)
    .map(([key, ticked]) => `${key}:${rights.filter((right) => ticked.has(right)).join()}`)
    .join(';')

const granted = ({ permissions }: Entity): readonly Right[] =>
  rights.filter((right) => {
    const one = permissions[right]
    return typeof one === 'object' ? one.length > 0 : one !== false
  })

/** All but creating needs reading too: it is ticked with the first of them, and takes them along when it is not any more. */
const withRight = (ticked: ReadonlySet<Right>, right: Right): ReadonlySet<Right> => {
  if (!ticked.has(right))
    return new Set([...ticked, right, ...(right === 'create' ? [] : ['read' as const])])
  const left = [...ticked].filter((one) => one !== right)
  return new Set(right === 'read' ? left.filter((one) => one === 'create') : left)
}

type Props = {
  readonly chosen: ChosenRights
  readonly onChange: (chosen: ChosenRights) => void
}

const nothing: ReadonlySet<Right> = new Set()

export const ScopeChoice = ({ chosen, onChange }: Props): ReactNode => {
  const { definitions } = useAdminTexts()
  const { entities } = useSession()
  const nameOf = (right: Right) =>
    right === 'actions' ? definitions.actions : definitions.rights[right]
  return (
    <ul className="key-scope">
      {[...entities.values()].map((entity) => {
        const { key, pluralName } = entity
        const ticked = chosen.get(key) ?? nothing
        const names = rights.filter((right) => ticked.has(right)).map(nameOf)
        return (
          <li key={key}>
            <details>
              <summary>
                <span dir="auto">{pluralName}</span>{' '}
                <small className="setting-help">{names.join(', ')}</small>
              </summary>
              <fieldset aria-label={pluralName}>
                {granted(entity).map((right) => (
                  <label key={right}>
                    <input
                      type="checkbox"
                      checked={ticked.has(right)}
                      onChange={() => onChange(new Map(chosen).set(key, withRight(ticked, right)))}
                    />
                    {nameOf(right)}
                  </label>
                ))}
              </fieldset>
            </details>
          </li>
        )
      })}
    </ul>
  )
}
