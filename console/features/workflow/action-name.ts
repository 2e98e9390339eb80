/** What an action is called: its name, or its key as words. */
import type { OpenAction } from '../../api/types.ts'
import { nameOfKey } from '../values/format-value.ts'

export const actionName = ({ key, name }: OpenAction): string =>
  name === key ? nameOfKey(key) : name
