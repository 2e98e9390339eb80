/** What the address of "My tasks" says. */
import { type TaskStatus, taskStatuses } from '../../api/own/task-counts.ts'

export type TaskSearch = { readonly status?: TaskStatus }

/** Reads an address, which may say anything. */
export const parseTaskSearch = (search: Readonly<Record<string, unknown>>): TaskSearch => {
  const status = taskStatuses.find((one) => one === search.status)
  return status ? { status } : {}
}
