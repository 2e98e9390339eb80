/** The pages of the console itself that this user has a use for: in the navigation, the search and the keys. */
import type { Entity } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { useSession } from './session.ts'

/** Whether the user may take an action of a workflow somewhere, so that records may wait for them. */
const mayDecide = (entities: ReadonlyMap<string, Entity>): boolean =>
  [...entities.values()].some(
    ({ workflow, permissions }) => workflow !== null && permissions.actions.length > 0,
  )

export type OwnPage = {
  readonly key: 'day' | 'inbox' | 'approvals' | 'tasks' | 'changes' | 'settings'
  readonly to: '/' | '/-/inbox' | '/-/approvals' | '/-/tasks' | '/-/changes' | '/-/settings'
  readonly label: string
  /** The keys that lead to it. */
  readonly keys: string
}

export const useOwnPages = (): readonly OwnPage[] => {
  const { day, inbox, approvals, tasks, settings, record } = useTexts()
  const { entities } = useSession()
  const all: readonly OwnPage[] = [
    { key: 'day', to: '/', label: day.title, keys: 'g d' },
    { key: 'inbox', to: '/-/inbox', label: inbox.title, keys: 'g i' },
    { key: 'approvals', to: '/-/approvals', label: approvals.title, keys: 'g a' },
    { key: 'tasks', to: '/-/tasks', label: tasks.title, keys: 'g t' },
    { key: 'changes', to: '/-/changes', label: record.ownChanges, keys: 'g u' },
    { key: 'settings', to: '/-/settings', label: settings.title, keys: 'g s' },
  ]
  return all.filter(({ key }) => key !== 'approvals' || mayDecide(entities))
}
