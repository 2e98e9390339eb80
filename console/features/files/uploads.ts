/**
 * The files that this page sends, over all forms: one goes on while another part of the page is shown, and its form takes the upload when
 * it is shown again. A few are sent at the same time, the others wait.
 */
import { isMediaType } from '../../../src/definitions/values/media-types.ts'
import { ApiProblem, newIdempotencyKey } from '../../api/client.ts'
import type { Field } from '../../api/types.ts'
import { removeUpload, sendUpload } from '../../api/uploads.ts'
import { type FileItem, itemsOf } from './file-values.ts'

export type Sending =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'going'; readonly sent: number }
  | { readonly kind: 'done'; readonly item: FileItem }
  | {
      readonly kind: 'failed'
      readonly error: ApiProblem
      /** Whether it is tried again without the user. */
      readonly isRetried: boolean
    }

type Task = {
  readonly file: File
  readonly field: Field
  readonly abort: AbortController
  tries: number
  timer?: ReturnType<typeof setTimeout>
}

const atOnce = 2
// While the service is full it says when to try again; after these the user decides.
const mostTries = 5

let states: ReadonlyMap<string, Sending> = new Map()
const tasks = new Map<string, Task>()
const listeners = new Set<() => void>()

export const watchUploads = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What has become of each file that this page sends, by its name in the page. */
export const uploadStates = (): typeof states => states

const isGoing = ({ kind }: Sending): boolean => kind === 'waiting' || kind === 'going'

/** Drafts outlive the page, but not what it sends. */
const askBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

const change = (key: string, state: Sending | undefined): void => {
  const next = new Map(states)
  if (state) next.set(key, state)
  else next.delete(key)
  states = next
  if ([...states.values()].some(isGoing)) addEventListener('beforeunload', askBeforeUnload)
  else removeEventListener('beforeunload', askBeforeUnload)
  for (const listener of listeners) listener()
}

/** Sends a file for a field, and gives what stands for it until it is sent. */
export const startUpload = (file: File, field: Field): FileItem => {
  const sending = newIdempotencyKey()
  tasks.set(sending, { file, field, abort: new AbortController(), tries: 0 })
  change(sending, { kind: 'waiting' })
  startNext()
  return { filename: file.name, bytes: file.size, sending }
}

const startNext = (): void => {
  const going = [...states.values()].filter(({ kind }) => kind === 'going').length
  const waiting = [...states].filter(([, { kind }]) => kind === 'waiting')
  for (const [key] of waiting.slice(0, Math.max(atOnce - going, 0))) void run(key)
}

const run = async (key: string): Promise<void> => {
  const task = tasks.get(key)
  if (!task) return
  const { file, field, abort } = task
  task.tries += 1
  change(key, { kind: 'going', sent: 0 })
  try {
    const onSent = (sent: number) => change(key, { kind: 'going', sent })
    const { upload, filename, bytes, mimetype } = await sendUpload(file, {
      signal: abort.signal,
      onSent,
    })
    if (abort.signal.aborted || !takes(field, mimetype)) {
      void removeUpload(upload)
      if (!abort.signal.aborted) throw new ApiProblem(422, { code: 'kind' })
    } else {
      tasks.delete(key)
      change(key, { kind: 'done', item: { sending: key, upload, filename, bytes, mimetype } })
    }
  } catch (error) {
    if (!abort.signal.aborted) fail(key, task, error)
  }
  startNext()
}

/** Whether a field takes files of a kind, by their content. */
const takes = ({ accept }: Field, mimetype: string): boolean =>
  accept?.some((pattern) => isMediaType(pattern, mimetype)) ?? true

const fail = (key: string, task: Task, error: unknown): void => {
  const problem =
    error instanceof ApiProblem ? error : new ApiProblem(500, { detail: String(error) })
  const { retryAfter } = problem
  const isRetried = retryAfter !== undefined && task.tries < mostTries
  change(key, { kind: 'failed', error: problem, isRetried })
  if (isRetried) task.timer = setTimeout(() => retryUpload(key), retryAfter * 1000)
}

/** Sends a file once more that could not be sent. */
export const retryUpload = (key: string): void => {
  const task = tasks.get(key)
  if (!task || states.get(key)?.kind !== 'failed') return
  clearTimeout(task.timer)
  change(key, { kind: 'waiting' })
  startNext()
}

/** Ends what is being sent of some values, and removes the uploads of others. */
export const dropUploads = (values: unknown): void => {
  for (const { sending = '', upload } of itemsOf(values)) {
    const task = tasks.get(sending)
    const state = states.get(sending)
    const sent = upload ?? (state?.kind === 'done' ? state.item.upload : undefined)
    if (sent !== undefined) void removeUpload(sent)
    task?.abort.abort(new DOMException('It is taken away.', 'AbortError'))
    clearTimeout(task?.timer)
    tasks.delete(sending)
    if (state) change(sending, undefined)
  }
  startNext()
}

/** An item as far as it is sent by now. */
export const settledItem = (item: FileItem): FileItem => {
  const state = states.get(item.sending ?? '')
  return item.upload === undefined && state?.kind === 'done' ? state.item : item
}
