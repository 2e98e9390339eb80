/** Tasks: those of a user over all entities, and writing one under its record. */
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Person } from '../../src/api/people/people-endpoint.ts'
import { request, send } from './client.ts'
import { type TaskStatus, tasksKey } from './own/task-counts.ts'
import { userKey } from './queries.ts'
import type { Entity } from './types.ts'

/** A task; fields that the role hides are absent. */
export type Task = {
  readonly id: number
  readonly description?: string | null
  readonly is_completed?: boolean
  readonly due_date?: string | null
  readonly assigne_id?: number | null
  /** The name of the assignee. */
  readonly assigne?: Person | null
  /** The entity and the id of its record. */
  readonly key: string
  readonly entity_id: number
  readonly _version: number
}

/** The user's own tasks, soonest due first. */
export const ownTasksQuery = (status: TaskStatus, timeZone: string, limit: number) =>
  queryOptions({
    queryKey: [...tasksKey, 'own', status, timeZone, limit],
    queryFn: async ({ signal }) => {
      const query = { status, timeZone, limit }
      const page = await request<{ data: readonly Task[] }>('/api/tasks', { query, signal })
      return page.data
    },
    placeholderData: keepPreviousData,
  })

export type { Person }

/** Whom a task may be assigned to. */
export const peopleQuery = (words: string) =>
  queryOptions({
    queryKey: [userKey, 'people', words],
    queryFn: async ({ signal }) => {
      const query = { q: words, limit: 20 }
      const page = await request<{ data: readonly Person[] }>('/api/people', { query, signal })
      return page.data
    },
    placeholderData: keepPreviousData,
  })

/** The record that a task belongs to. */
export type TaskPlace = { readonly entity: string; readonly id: number }

export type NewTask = {
  readonly description: string
  readonly due_date: string | null
  readonly assigne_id: number | null
}

/** Creates a task; the same key creates it once, however often it is sent. */
export const createTask = (
  { entity, id }: TaskPlace,
  task: Partial<NewTask>,
  idempotencyKey: string,
) =>
  request<{ readonly id: number }>(`/${entity}/${id}/task`, {
    method: 'POST',
    headers: { 'Idempotency-Key': idempotencyKey },
    body: task,
  })

/** Changes some fields of a task, only as it was read. */
export const changeTask = (
  { key, entity_id, id, _version: version }: Task,
  values: Partial<NewTask>,
) =>
  send(`/${key}/${entity_id}/${id}`, {
    method: 'PUT',
    etag: `"${version}"`,
    body: values,
  })

export const removeTask = ({ key, entity_id, id }: Task) =>
  send(`/${key}/${entity_id}/${id}`, { method: 'DELETE' })

/** All tasks of a record, soonest due first. */
export const recordTasksQuery = ({ entity, id }: TaskPlace) =>
  queryOptions({
    queryKey: [...tasksKey, 'record', entity, id],
    queryFn: ({ signal }) => request<readonly Task[]>(`/${entity}/${id}/task`, { signal }),
  })

/** Completes a task or opens it again. */
export const completeTask = ({ key, entity_id, id }: Task, isCompleted: boolean) =>
  send(`/${key}/${entity_id}/${id}`, { method: 'PUT', body: { is_completed: isCompleted } })

export const placeOf = ({ key, entity_id: id }: Task): TaskPlace => ({ entity: key, id })

/** Reads tasks again after one of them was written, which the history of its record says too. */
export const forgetTasks = async (
  client: QueryClient,
  { entity, id }: TaskPlace,
): Promise<void> => {
  void client.invalidateQueries({ queryKey: [userKey, 'record', entity, id, 'history'] })
  await client.invalidateQueries({ queryKey: tasksKey })
}

/** Whether a task of any record of the entity may be written. Where only those of own records may, the record's page does it. */
export const takesTasks = ({ permissions, isNative }: Entity): boolean =>
  !isNative && permissions.read !== false && permissions.tasks === true
