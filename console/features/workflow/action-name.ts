/** What an action is called: its name, or its key as words. */
import type { OpenAction } from '../../api/open-actions.ts'
import { nameOfKey } from '../format/format-value.ts'

export const actionName = ({ key, name }: Pick<OpenAction, 'key' | 'name'>): string =>
  name === key ? nameOfKey(key) : name
